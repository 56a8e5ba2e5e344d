#include "samplers/collector/gpu/counters.h"

#include "samplers/collector/quality.h"

namespace gprofx {
namespace {

constexpr wire::GpuCounter Timed(wire::GpuCounter first, uint32_t kind) {
  return static_cast<wire::GpuCounter>(first + kind);
}

struct CounterName {
  wire::GpuCounter counter;
  const char* name;
};

constexpr CounterName kNames[] = {
    {wire::kGpuLaunches, "gpu_launches"},
    {wire::kGpuLaunchesLost, "gpu_launches_lost"},
    {wire::kGpuLaunchNs, "gpu_launch_total_ns"},
    {wire::kGpuRecords, "gpu_records"},
    {wire::kGpuRecordsDropped, "gpu_records_dropped"},
    {wire::kGpuRecordsNoTime, "gpu_records_no_time"},
    {wire::kGpuStreamFull, "gpu_stream_full"},
    {wire::kGpuBuffersMade, "gpu_buffers_made"},
    {wire::kGpuModules, "gpu_modules"},
    {wire::kGpuModulesUnspooled, "gpu_modules_unspooled"},
    {wire::kGpuPcSamples, "gpu_pc_samples"},
    {wire::kGpuPcUser, "gpu_pc_user"},
    {wire::kGpuPcNonUser, "gpu_pc_non_user"},
    {wire::kGpuPcBufferFull, "gpu_pc_buffer_full"},
    {wire::kGpuPcGapNs, "gpu_pc_gap_ns"},
    {wire::kGpuCaptures, "gpu_captures"},
    {wire::kGpuErrors, "gpu_errors"},
    {wire::kGpuForkedCalls, "gpu_forked_calls"},
    {wire::kGpuLaunchesHooked, "gpu_launches_hooked"},
    {wire::kGpuCallsBypassed, "gpu_calls_bypassed"},
    {wire::kGpuFetchNs, "gpu_cupti_fetch_ns"},
    {wire::kGpuTimedBatches, "gpu_bare_batches"},
    {wire::kGpuTimedNs, "gpu_bare_ns"},
    {wire::kGpuTimedSquares, "gpu_bare_squares"},
    {Timed(wire::kGpuTimedBatches, 1), "gpu_hooked_batches"},
    {Timed(wire::kGpuTimedNs, 1), "gpu_hooked_ns"},
    {Timed(wire::kGpuTimedSquares, 1), "gpu_hooked_squares"},
    {Timed(wire::kGpuTimedBatches, 2), "gpu_joined_batches"},
    {Timed(wire::kGpuTimedNs, 2), "gpu_joined_ns"},
    {Timed(wire::kGpuTimedSquares, 2), "gpu_joined_squares"},
    {Timed(wire::kGpuTimedBatches, 3), "gpu_recorded_batches"},
    {Timed(wire::kGpuTimedNs, 3), "gpu_recorded_ns"},
    {Timed(wire::kGpuTimedSquares, 3), "gpu_recorded_squares"},
};

}  // namespace

void GpuCounters::Add(const wire::GpuHeader& header) {
  if (header.active.load(std::memory_order_acquire) == 0) return;
  ++processes;
  host_is_limit = host_is_limit || header.host_is_limit.load(std::memory_order_relaxed) != 0;
  ended += header.ended.load(std::memory_order_acquire) != 0 ? 1 : 0;
  for (size_t i = 0; i < counters.size(); ++i) {
    const bool of_lines = i == wire::kGpuLaunches;
    const uint64_t more =
        of_lines ? wire::LaunchesOf(header) : header.counters[i].load(std::memory_order_relaxed);
    counters[i] = SaturatedSum(counters[i], more);
  }
  for (size_t i = 0; i < launch.size(); ++i) {
    launch[i] = SaturatedSum(launch[i], header.launch_ns[i].load(std::memory_order_relaxed));
  }
}

void PublishGpuCounters(const GpuCounters& all, std::map<std::string, int64_t>& quality) {
  if (all.processes == 0) return;
  for (const CounterName& entry : kNames) {
    quality[entry.name] = static_cast<int64_t>(SaturatedSum(0, all.counters[entry.counter]));
  }
  quality["gpu_processes"] = all.processes;
  quality["gpu_processes_ended"] = all.ended;
  quality["gpu_host_is_limit"] = all.host_is_limit ? 1 : 0;
  quality["gpu_launch_median_ns"] = HistogramPercentile(all.launch, 0.5);
  quality["gpu_launch_p99_ns"] = HistogramPercentile(all.launch, 0.99);
}

}  // namespace gprofx
