// Quality of the GPU data: the recorder's counters gpu_*. A missing counter is 0. Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

struct GpuQuality {
  bool present = false;          // the profile has GPU data; else all is 0
  int64_t launches = 0;          // calls that start kernels, copies or memsets
  int64_t launches_lost = 0;     // launches without room for their call path
  int64_t launch_median_ns = 0;  // cost on the launching thread; 0 = not measured
  int64_t processes = 0;         // that used a GPU
  int64_t cupti_fetch_ns = 0;    // to load and unload CUPTI; 0 = it never left
  int64_t records = 0, records_dropped = 0, records_without_time = 0;
  int64_t records_without_end = 0;     // of graphs, just before records were switched off
  int64_t ranges_left_out = 0;         // named by the program, dropped while records were off
  int64_t records_without_launch = 0;  // work whose call path is unknown
  int64_t stream_full = 0;             // records dropped on the way to the recorder: no room
  int64_t modules_without_code = 0;
  int64_t overlap_late = 0;  // records too late to compute their overlap
  int64_t pc_received = 0;   // = exact + proportional + function only + unattributed
  int64_t pc_exact = 0, pc_proportional = 0, pc_function_only = 0, pc_unattributed = 0;
  int64_t pc_dropped = 0, pc_buffer_full = 0, pc_gap_ns = 0;
  // Set if records were made only part of the time (core/gpu/level_windows.h); else 0.
  int64_t traced_ns = 0, counted_ns = 0;  // time with and without records
  int64_t traced_launches = 0;
  int64_t never_traced_launches = 0;  // from call paths without any record
  int64_t record_ns = 0;              // extra time per launch with a record; 0 = not measured
  int64_t pc_period = 0;              // multiprocessor cycles between samples; 0 = unknown

  // Number of dropped records that may be of the program's work. A process that CUPTI leaves loses
  // one record of CUPTI's own work.
  int64_t work_records_dropped() const;
};

// True if the profile has GPU facts for its views to show.
bool HasGpuData(const Profile& profile);

GpuQuality AssessGpu(const Profile& profile);

}  // namespace gprofx
