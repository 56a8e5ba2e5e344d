// The named counters of a recording: sums of the agents' counters over its processes, and their
// names in the profile. Pure functions over copies of the counters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "samplers/wire/layout.h"

namespace gprofx {

struct AgentCounters {
  std::array<uint64_t, wire::kCounterCount> counters{};
  std::array<uint64_t, wire::kHandlerBuckets> handler{};  // histogram of run times

  void Add(const wire::ProcessHeader& header);
};

// Returns the sum of two counters that a target wrote, at most INT64_MAX.
uint64_t SaturatedSum(uint64_t a, uint64_t b);

// Returns the value below which `share` of the runs of a histogram (HandlerBucket) lie, in ns; 0
// without runs.
int64_t HistogramPercentile(std::span<const uint64_t> histogram, double share);
// The same for the handler's runs.
int64_t HandlerPercentile(const AgentCounters& all, double share);

// Writes every counter under its name (samples, dropped_samples, ..., handler_median_ns) into
// `quality`.
void PublishCounters(const AgentCounters& all, std::map<std::string, int64_t>& quality);

}  // namespace gprofx
