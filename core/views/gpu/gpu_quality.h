// Collects the quality of the GPU data from the recorder's counters gpu_*. A missing counter counts
// as 0. Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

struct GpuQuality {
  bool present = false;          // the profile has GPU data; if false, all numbers are 0
  int64_t launches = 0;          // calls that start kernels, copies or memsets
  int64_t launches_lost = 0;     // launches whose call path was lost for lack of room
  int64_t launch_median_ns = 0;  // median cost on the launching thread; 0 = not measured
  int64_t processes = 0;         // number of processes that used a GPU
  int64_t cupti_fetch_ns = 0;    // time to load and unload CUPTI; 0 = it was never unloaded
  int64_t records = 0, records_dropped = 0, records_without_time = 0;
  // Records of CUDA graphs whose end is unknown, because recording was switched off soon after.
  int64_t records_without_end = 0;
  // Ranges named by the program that were dropped, because recording was off.
  int64_t ranges_left_out = 0;
  int64_t records_without_launch = 0;  // work whose call path is unknown
  int64_t stream_full = 0;  // records dropped for lack of room on the way to the recorder
  int64_t modules_without_code = 0;
  int64_t overlap_late = 0;  // records that came too late for their overlap to be computed
  int64_t pc_received = 0;   // = exact + proportional + function only + unattributed
  int64_t pc_exact = 0, pc_proportional = 0, pc_function_only = 0, pc_unattributed = 0;
  int64_t pc_dropped = 0, pc_buffer_full = 0, pc_gap_ns = 0;
  // The following are set if GPU work was recorded only part of the time
  // (core/gpu/level_windows.h); otherwise they are 0.
  int64_t traced_ns = 0, counted_ns = 0;  // time with and without records
  int64_t traced_launches = 0;
  int64_t never_traced_launches = 0;  // launches from call paths without any record
  int64_t record_ns = 0;              // extra cost of a launch with a record; 0 = not measured
  int64_t pc_period = 0;              // multiprocessor cycles between PC samples; 0 = unknown

  // Returns how many of the dropped records may be those of the program's work. A process from
  // which CUPTI is unloaded always loses one record of CUPTI's own work; these are subtracted.
  int64_t work_records_dropped() const;
};

// True if the profile has GPU data: a GPU metric, a GPU device or a partition of the wall time.
bool HasGpuData(const Profile& profile);

GpuQuality AssessGpu(const Profile& profile);

}  // namespace gprofx
