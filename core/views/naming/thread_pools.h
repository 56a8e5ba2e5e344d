// Finds threads of library pools that only wait for work. For each thread it computes whether it
// ever ran Python, how much of its time was waiting and in which function, and the library that
// owns it. The owner is the library of the outermost function that is not in the C or C++ runtime.
// Linear in nodes and values. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/profile.h"
#include "core/views/call_tree.h"

namespace gprofx {

struct ThreadPart {
  bool python = false;
  int64_t waiting = 0;  // time spent waiting, in the requested metric
  FrameId waits_in;     // frame with most of the waiting; 0 = none
  ModuleId pool;        // library that owns the thread; 0 = unknown
};

// Returns a row for each thread, by ThreadId::value; [0] is time without a thread. Counts only
// stacks that `kept` keeps.
std::vector<ThreadPart> ThreadParts(const Profile& profile, MetricId metric, const Kept& kept);

}  // namespace gprofx
