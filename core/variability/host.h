// Describes what the host of a process did in a time window. It explains why the process's GPUs
// were idle: idle.h chooses the cause of each idle time from it, by the rules of
// core/wall/wall_partition.h. Times are on the file's clock. Events that cross an end of the window
// may be present in full. Plain data.
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

// A CPU sample. The range is the time that the sample represents, which ends when the sample was
// taken.
struct HostSpan {
  int64_t begin = 0, end = 0;
  HostClass what{};
};

struct ProcessHost {
  int64_t process = 0;
  std::vector<HostWait> waits;
  std::vector<TimeRange> queue_full;
  std::vector<HostSpan> samples;  // only those of threads that use a GPU
};

struct HostActivity {
  std::vector<std::string> calls;  // names as in WallPartition::AddWait; no duplicates
  std::vector<ProcessHost> processes;
};

}  // namespace gprofx::variability
