// Whether a region belongs to the process that it names.
//
// A process writes its own number into its region, and may write another's. The number is believed
// only where the kernel confirms it: that process has just this region mapped, or, where its
// mappings cannot be read (in time), all its user ids are those of the memory's user. The answer
// comes with a pidfd, taken before that was asked, so that whatever is done later is done to this
// process or to none. One thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/unique_fd.h"
#include "samplers/collector/shared_memory.h"

namespace gprofx {

enum class Claim {
  kConfirmed,
  // The process became another program since, or never was part of the recording: what the region
  // holds counts, but nothing is done to the process, and nothing is asked about it.
  kUnconfirmed,
  kGone,  // no process has this number any more
};

struct RegionOwner {
  Claim claim = Claim::kGone;
  UniqueFd pidfd;  // none: it is gone, or the kernel has no pidfd (before Linux 5.3)
};

// `index`: of the region in the memory.
RegionOwner FindRegionOwner(int64_t pid, const SharedMemory& memory, uint32_t index);

struct MappedPart {  // of a file; one byte of it tells
  uint64_t device = 0, inode = 0, offset = 0;
};
// Pure, for tests. `maps` is the text of /proc/PID/maps.
bool HasMapped(std::string_view maps, const MappedPart& part);

}  // namespace gprofx
