// What the host of a process did in a window of time: the evidence for why its GPUs were idle.
// Which of it counts is decided as in core/wall/wall_partition.h (idle.h). Times are those of the
// file; what begins before the window or ends behind it may be there as a whole. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/steps/phases.h"
#include "core/wall/wall_partition.h"

namespace gprofx::variability {

struct HostWait {
  int64_t begin = 0, end = 0;
  uint32_t call = 0;  // position in HostActivity::calls
};

// A CPU sample stands for the time before it.
struct HostSpan {
  int64_t begin = 0, end = 0;
  HostClass what{};
};

struct ProcessHost {
  int64_t process = 0;
  std::vector<HostWait> waits;
  std::vector<TimeRange> queue_full;
  std::vector<HostSpan> samples;  // of threads that use a GPU
};

struct HostActivity {
  std::vector<std::string> calls;  // as WallPartition::AddWait has them; each once
  std::vector<ProcessHost> processes;
};

}  // namespace gprofx::variability
