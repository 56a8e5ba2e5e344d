// Rows of the streams of events as what parts of a recording are made of: the one place that knows
// which of them count, whether they come from a file or while they are recorded.
//
// Times may be anything in a broken file: they are cut so that sums and differences of a few do not
// overflow, and a duration below 0 counts as 0. Pure. Times are HostNs.
#pragma once

#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "core/slice/part_events.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

// GPU work, calls that wait (those have a node of their own), full queues, markers, windows,
// launches and looks at waiting threads; rows of other streams are left out. Columns that were not
// read must be empty only where they are not needed: of operations without bytes, kCopyBytes.
void AddPartRows(const EventTable& rows, const Profile& profile, PartEvents& out);

// What kind of work the operations of nodes are. Names are asked for once for each frame; for
// frames that were there when it was made.
class BusyClasses {
 public:
  explicit BusyClasses(const Profile& profile) : profile_(profile), of_(profile.frames.size()) {}
  BusyClass Of(NodeId node);

 private:
  BusyClass Look(const Frame& frame) const;

  const Profile& profile_;
  std::vector<uint8_t> of_;  // 1 + class, 0 = not looked at
};

// "cuStreamSynchronize": the call that a waiting node stands for.
std::string WaitingCall(const Profile& profile, NodeId node);

}  // namespace gprofx
