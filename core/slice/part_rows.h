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

// Adds to `out`: GPU work, calls that wait for a GPU (only these calls have a node of their own),
// full queues, markers, windows, launches and checks of waiting threads; ignores rows of other
// streams. Every column that is used must be filled; kCopyBytes is not used for kernels.
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
