// The counters of the GPU side of the targets: sums over processes, and their names in the profile
// (gpu_launches, ..., gpu_launch_median_ns). Pure functions over copies of the counters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "samplers/wire/layout.h"

namespace gprofx {

struct GpuCounters {
  std::array<uint64_t, wire::kGpuCounterCount> counters{};
  std::array<uint64_t, 128> launch{};  // histogram of the time in our callbacks at launches
  int64_t processes = 0;               // that had CUPTI subscribed
  int64_t ended = 0;           // those of `processes` that flushed everything at a normal end
  bool host_is_limit = false;  // one of them found its host to be the limit

  void Add(const wire::GpuHeader& header);
};

// Writes nothing if no process used a GPU.
void PublishGpuCounters(const GpuCounters& all, std::map<std::string, int64_t>& quality);

}  // namespace gprofx
