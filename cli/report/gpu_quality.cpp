#include "cli/report/gpu_quality.h"

#include <cstdlib>

#include "cli/report/gpu_rows.h"
#include "cli/report/number.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

constexpr double kMostDropped = 0.01;  // of PC samples, from there on the data is degraded

// CUPTI counts periods as powers of two from 2^5 to 2^31: a small number is such an exponent.
std::string PeriodText(const Profile& profile) {
  const auto found = profile.meta.find("gpu_pc_period");
  if (found == profile.meta.end()) return "";
  const int64_t period = strtoll(found->second.c_str(), nullptr, 10);
  if (period <= 0) return "";
  if (period < 32) return Grouped(int64_t{1} << period) + " cycles";
  return Grouped(period) + " cycles";
}

}  // namespace

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
      {"gpu_records", &GpuQuality::records},
      {"gpu_records_dropped", &GpuQuality::records_dropped},
      {"gpu_records_no_time", &GpuQuality::records_without_time},
      {"gpu_unlaunched", &GpuQuality::records_without_launch},
      {"gpu_stream_full", &GpuQuality::stream_full},
      {"gpu_modules_unspooled", &GpuQuality::modules_without_code},
      {"gpu_pc_received", &GpuQuality::pc_received},
      {"gpu_pc_exact", &GpuQuality::pc_exact},
      {"gpu_pc_proportional", &GpuQuality::pc_proportional},
      {"gpu_pc_function_only", &GpuQuality::pc_function_only},
      {"gpu_pc_unattributed", &GpuQuality::pc_unattributed},
      {"gpu_pc_dropped", &GpuQuality::pc_dropped},
      {"gpu_pc_buffer_full", &GpuQuality::pc_buffer_full},
      {"gpu_pc_gap_ns", &GpuQuality::pc_gap_ns},
  };
  for (const auto& counter : kCounters) {
    const auto found = profile.quality.find(counter.name);
    if (found != profile.quality.end()) quality.*counter.field = found->second;
  }
  quality.period = PeriodText(profile);
  return quality;
}

std::vector<std::string> GpuReasons(const GpuQuality& q) {
  std::vector<std::string> reasons;
  const auto dropped = static_cast<double>(q.pc_dropped);
  const double all = dropped + static_cast<double>(q.pc_received);
  if (dropped > kMostDropped * all)
    reasons.push_back("PC samples dropped " + Percent(dropped, all));
  if (q.pc_buffer_full > 0) {
    reasons.push_back("GPU sampling buffer full " + Grouped(q.pc_buffer_full) + " times" +
                      (q.pc_gap_ns > 0 ? ", " + Duration(q.pc_gap_ns) + " not sampled" : ""));
  }
  if (q.launches_lost > 0) {
    reasons.push_back("GPU launches lost " + Grouped(q.launches_lost));
  }
  if (q.records_dropped > 0) reasons.push_back("GPU records dropped " + Grouped(q.records_dropped));
  if (q.stream_full > 0) reasons.push_back("GPU data lost: " + Grouped(q.stream_full) + " records");
  return reasons;
}

}  // namespace gprofx
