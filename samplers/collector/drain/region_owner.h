// Checks whether a region belongs to the process that it names.
//
// A process writes its own PID into its region, and a hostile one may write the PID of another
// process. The PID is believed only if the kernel confirms that the process with this PID has this
// very region mapped. If the mappings of that process cannot be read (in time), it is enough that
// all its user ids are those of the memory's user. The result contains a pidfd that was opened
// before the check. Later actions through it affect that process or none. One thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/unique_fd.h"
#include "samplers/collector/shared_memory.h"

namespace gprofx {

enum class Claim {
  kConfirmed,
  // The process with this PID has run another program since, or was never part of the recording.
  // The contents of the region are used, but nothing is done to the process and nothing is read
  // about it.
  kUnconfirmed,
  kGone,  // no process has this PID any more
};

struct RegionOwner {
  Claim claim = Claim::kGone;
  UniqueFd pidfd;  // empty if the process has ended, or before Linux 5.3, which has no pidfd
};

// Checks the owner of region `index` of `memory`, which names the process `pid`.
RegionOwner FindRegionOwner(int64_t pid, const SharedMemory& memory, uint32_t index);

struct MappedPart {  // a byte of a file, given by device, inode and offset
  uint64_t device = 0, inode = 0, offset = 0;
};
// True if `part` is mapped. `maps` is the text of /proc/PID/maps. Pure, for tests.
bool HasMapped(std::string_view maps, const MappedPart& part);

}  // namespace gprofx
