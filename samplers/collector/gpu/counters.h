// Adds up the GPU side's counters of all processes and writes them to the profile under their names
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
  std::array<uint64_t, 128> launch{};  // histogram of the time that launches spent in our callbacks
  int64_t processes = 0;               // processes in which CUPTI was subscribed
  int64_t ended = 0;           // those of `processes` that wrote all records at a normal end
  bool host_is_limit = false;  // a process found that it is limited by its host, not by its GPU

  void Add(const wire::GpuHeader& header);
};

// Writes the counters to `quality`. Writes nothing if no process used a GPU.
void PublishGpuCounters(const GpuCounters& all, std::map<std::string, int64_t>& quality);

}  // namespace gprofx
