// Converts rows of the event streams to the input of slices. It decides which rows count, whether
// they come from a file or are being recorded.
//
// A broken file may contain any times. They are clamped: sums and differences of a few then do not
// overflow. A negative duration counts as 0. Pure. Times are HostNs.
#pragma once

#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "core/slice/part_events.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

// Adds to `out` the rows that slices count: GPU work, CUDA calls that wait for a GPU, times in
// which a launch queue was full, markers, windows of GPU records, launches, and probes of waiting
// threads. Other CUDA calls have no node in the tree and are ignored, as are other streams. The
// columns that are read must be filled; for kernels, kCopyBytes is not read.
void AddPartRows(const EventTable& rows, const Profile& profile, PartEvents& out);

// Finds the kind of work of nodes of GPU operations. Names are parsed once per frame. Only for
// frames that existed when the object was made.
class BusyClasses {
 public:
  explicit BusyClasses(const Profile& profile) : profile_(profile), of_(profile.frames.size()) {}
  BusyClass Of(NodeId node);

 private:
  BusyClass Look(const Frame& frame) const;

  const Profile& profile_;
  std::vector<uint8_t> of_;  // 1 + class, 0 = not yet known
};

// Returns the name of the CUDA call at a waiting node: "cuStreamSynchronize".
std::string WaitingCall(const Profile& profile, NodeId node);

}  // namespace gprofx
