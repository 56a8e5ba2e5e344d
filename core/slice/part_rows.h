// Converts rows of the event streams to the input of slices. Only this code knows which rows count,
// whether they come from a file or are being recorded.
//
// A broken file may have any times: they are clamped so that sums and differences of a few do not
// overflow, and a negative duration counts as 0. Pure. Times are HostNs.
#pragma once

#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "core/slice/part_events.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

// Adds to `out` the rows that slices count: GPU work, CUDA calls that wait for a GPU (other calls
// have no node in the tree and are left out), times in which a launch queue was full, markers,
// windows with GPU records, launches, and checks of waiting threads. Ignores other streams. The
// columns that are read must be filled; for kernels, kCopyBytes is not read.
void AddPartRows(const EventTable& rows, const Profile& profile, PartEvents& out);

// The kind of work of operation nodes. Names are parsed once per frame. Only for frames that
// existed at construction.
class BusyClasses {
 public:
  explicit BusyClasses(const Profile& profile) : profile_(profile), of_(profile.frames.size()) {}
  BusyClass Of(NodeId node);

 private:
  BusyClass Look(const Frame& frame) const;

  const Profile& profile_;
  std::vector<uint8_t> of_;  // 1 + class, 0 = not yet known
};

// Returns the call that a waiting node stands for: "cuStreamSynchronize".
std::string WaitingCall(const Profile& profile, NodeId node);

}  // namespace gprofx
