// A recording made by hand: launches, kernels, copies and waits of a process with two threads, on
// streams of one device. Times are microseconds here, so that they can be read.
#pragma once

#include <string_view>
#include <vector>

#include "core/events/replay_events.h"
#include "core/model/profile.h"

namespace gprofx::testing {

class MadeRecording {
 public:
  MadeRecording();

  NodeId Path(std::string_view function, uint32_t line = 1);  // a Python frame under the root
  NodeId Kernel(std::string_view name, NodeId above);
  ReplayOperation& Run(NodeId node, int64_t launch_us, int64_t start_us, int64_t length_us,
                       uint32_t stream = 1, ThreadId thread = ThreadId{1});
  ReplayOperation& Copy(NodeId above, uint8_t kind, uint8_t source, uint8_t target, int64_t bytes,
                        int64_t launch_us, int64_t start_us, int64_t length_us);
  void Wait(NodeId above, int64_t begin_us, int64_t end_us);
  void Steps(std::vector<int64_t> bounds_us);

  Profile profile;
  ReplayEvents events;
  ReplayWindow window;
};

}  // namespace gprofx::testing
