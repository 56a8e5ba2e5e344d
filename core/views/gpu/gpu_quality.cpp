#include "core/views/gpu/gpu_quality.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/arithmetic.h"
#include "core/cost/own_cost.h"

namespace gprofx {
namespace {

// Returns the sampling period of PC samples in cycles; 0 if unknown. CUPTI gives the period as an
// exponent of 2 from 5 to 31. A number below 32 is therefore such an exponent.
int64_t PcPeriod(const Profile& profile) {
  const auto found = profile.meta.find("gpu_pc_period");
  if (found == profile.meta.end()) return 0;
  const int64_t period = strtoll(found->second.c_str(), nullptr, 10);
  if (period <= 0) return 0;
  return period < 32 ? int64_t{1} << period : period;
}

}  // namespace

int64_t GpuQuality::work_records_dropped() const {
  const int64_t own = cupti_fetch_ns > 0 ? std::max<int64_t>(processes, 0) : 0;
  return records_dropped > own ? records_dropped - own : 0;
}

bool HasGpuData(const Profile& profile) {
  return profile.FindMetric(kMetricGpu) || !profile.gpu.devices.empty() ||
         !profile.gpu.wall.empty();
}

GpuQuality AssessGpu(const Profile& profile) {
  GpuQuality quality;
  quality.present = HasGpuData(profile);
  if (!quality.present) return quality;
  static constexpr struct {
    const char* name;
    int64_t GpuQuality::*field;
  } kCounters[] = {
      {"gpu_launches", &GpuQuality::launches},
      {"gpu_launches_lost", &GpuQuality::launches_lost},
      {"gpu_launch_median_ns", &GpuQuality::launch_median_ns},
      {"gpu_processes", &GpuQuality::processes},
      {"gpu_cupti_fetch_ns", &GpuQuality::cupti_fetch_ns},
      {"gpu_records", &GpuQuality::records},
      {"gpu_records_dropped", &GpuQuality::records_dropped},
      {"gpu_records_no_time", &GpuQuality::records_without_time},
      {"gpu_records_no_end", &GpuQuality::records_without_end},
      {"markers_left_out", &GpuQuality::ranges_left_out},
      {"gpu_unlaunched", &GpuQuality::records_without_launch},
      {"gpu_stream_full", &GpuQuality::stream_full},
      {"gpu_modules_unspooled", &GpuQuality::modules_without_code},
      {"gpu_overlap_late", &GpuQuality::overlap_late},
      {"gpu_pc_received", &GpuQuality::pc_received},
      {"gpu_pc_exact", &GpuQuality::pc_exact},
      {"gpu_pc_proportional", &GpuQuality::pc_proportional},
      {"gpu_pc_function_only", &GpuQuality::pc_function_only},
      {"gpu_pc_unattributed", &GpuQuality::pc_unattributed},
      {"gpu_pc_dropped", &GpuQuality::pc_dropped},
      {"gpu_pc_buffer_full", &GpuQuality::pc_buffer_full},
      {"gpu_pc_gap_ns", &GpuQuality::pc_gap_ns},
      {"gpu_level_traced_ns", &GpuQuality::traced_ns},
      {"gpu_level_counted_ns", &GpuQuality::counted_ns},
      {"gpu_traced_launches", &GpuQuality::traced_launches},
      {"gpu_untraced_launches", &GpuQuality::never_traced_launches},
  };
  for (const auto& counter : kCounters) {
    const auto found = profile.quality.find(counter.name);
    if (found != profile.quality.end()) quality.*counter.field = found->second;
  }
  const auto missing = profile.quality.find("gpu_pc_missing");
  if (missing != profile.quality.end())
    quality.pc_dropped = AddSaturated(quality.pc_dropped, std::max<int64_t>(0, missing->second));
  quality.record_ns = std::llround(TimedRecordNs(profile.quality));
  quality.pc_period = PcPeriod(profile);
  return quality;
}

}  // namespace gprofx
