// Converts rows of the event streams to the events from which slices are built, and decides which
// rows count. The rows come from a file or from a running recording.
//
// A broken file may contain any times. Times are clamped, so sums and differences of a few of them
// do not overflow. A negative duration counts as 0. Pure. Times are HostNs.
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
// threads. Other CUDA calls have no node in the tree; they and other streams are ignored. `rows`
// must have all columns that are read; for kernels, kCopyBytes is not read.
void AddPartRows(const EventTable& rows, const Profile& profile, PartEvents& out);

// Finds the kind of work (BusyClass) of nodes of GPU operations. Each name is parsed once per
// frame. Knows only the frames that existed when the object was made.
class BusyClasses {
 public:
  explicit BusyClasses(const Profile& profile) : profile_(profile), of_(profile.frames.size()) {}
  BusyClass Of(NodeId node);

 private:
  BusyClass Look(const Frame& frame) const;

  const Profile& profile_;
  std::vector<uint8_t> of_;  // by FrameId::index(): 1 + class, 0 = not yet known
};

// Returns the name of the CUDA call that waits at `node`: "cuStreamSynchronize".
std::string WaitingCall(const Profile& profile, NodeId node);

}  // namespace gprofx
