// How good the data of the GPU is: the recorder's counters gpu_* as numbers with a meaning. A
// counter that is missing is 0. Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

struct GpuQuality {
  bool present = false;          // the profile holds data of a GPU; else everything is 0
  int64_t launches = 0;          // calls that start work: kernels, copies, memsets
  int64_t launches_lost = 0;     // ... whose call path found no room
  int64_t launch_median_ns = 0;  // cost on the thread that launches; 0 = not measured
  int64_t records = 0, records_dropped = 0, records_without_time = 0;
  int64_t records_without_end = 0;  // of graphs, just before records were switched off
  int64_t ranges_left_out = 0;      // that the program named: too many, while there were no records
  int64_t records_without_launch = 0;  // work whose call path is not known
  int64_t stream_full = 0;             // records that found no room on their way to the recorder
  int64_t modules_without_code = 0;
  int64_t overlap_late = 0;  // records too late for what they overlapped with
  int64_t pc_received = 0;   // = exact + proportional + function only + unattributed
  int64_t pc_exact = 0, pc_proportional = 0, pc_function_only = 0, pc_unattributed = 0;
  int64_t pc_dropped = 0, pc_buffer_full = 0, pc_gap_ns = 0;
  // Where records were made for a part of the time (core/gpu/level_windows.h); else 0.
  int64_t traced_ns = 0, counted_ns = 0;  // with and without records
  int64_t traced_launches = 0;
  int64_t never_traced_launches = 0;  // from call paths of which there is no record
  int64_t record_ns = 0;  // that a launch took more with its record; 0 = that was not timed
  int64_t pc_period = 0;  // cycles of a multiprocessor from sample to sample; 0 = unknown
};

// The profile holds facts of a GPU: its views show them.
bool HasGpuData(const Profile& profile);

GpuQuality AssessGpu(const Profile& profile);

}  // namespace gprofx
