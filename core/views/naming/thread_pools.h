// What threads are that have nothing of their own to say: pools of a library whose threads wait for
// work. Per thread: whether it ever ran Python, how much of its time was waiting and where, and the
// library whose thread it is: that of the outermost function outside of the C library. Linear in
// nodes and values. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"

namespace gprofx {

struct ThreadPart {
  bool python = false;
  int64_t waiting = 0;  // in the metric that was asked for
  FrameId waits_in;     // where most of that was; 0 = it did not wait
  ModuleId pool;        // 0 = not known
};

// By ThreadId::value; [0] is of no thread. Of the stacks that `kept` keeps.
std::vector<ThreadPart> ThreadParts(const Profile& profile, MetricId metric, const Kept& kept);

}  // namespace gprofx
