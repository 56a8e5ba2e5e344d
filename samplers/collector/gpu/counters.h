// Sums the counters of the GPU side over the processes and names them in the profile (gpu_launches,
// ..., gpu_launch_median_ns). Pure functions over copies of the counters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "samplers/wire/layout.h"

namespace gprofx {

struct GpuCounters {
  std::array<uint64_t, wire::kGpuCounterCount> counters{};
  std::array<uint64_t, 128> launch{};  // histogram of the time that launches spent in our callbacks
  int64_t processes = 0;               // number of processes in which CUPTI was subscribed
  int64_t ended = 0;           // number of `processes` that wrote all records at a normal end
  bool host_is_limit = false;  // a process found that its host limits it, not its GPU

  void Add(const wire::GpuHeader& header);
};

// Writes the counters to `quality`. Writes nothing if no process used a GPU.
void PublishGpuCounters(const GpuCounters& all, std::map<std::string, int64_t>& quality);

}  // namespace gprofx
