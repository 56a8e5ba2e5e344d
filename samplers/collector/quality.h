// Adds up the agents' counters over the processes of a recording and writes them to the profile
// under their names. Pure functions over copies of the counters.
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
  std::array<uint64_t, wire::kHandlerBuckets> handler{};  // histogram of the handler's run times

  void Add(const wire::ProcessHeader& header);
};

// Returns the sum of two counters that a target wrote, at most INT64_MAX.
uint64_t SaturatedSum(uint64_t a, uint64_t b);

// Returns the time in ns that the fraction `share` of the runs in a histogram (HandlerBucket) does
// not exceed. Returns 0 if there are no runs.
int64_t HistogramPercentile(std::span<const uint64_t> histogram, double share);
// Returns HistogramPercentile of the run times of the signal handler.
int64_t HandlerPercentile(const AgentCounters& all, double share);

// Writes every counter under its name (samples, dropped_samples, ..., handler_median_ns) into
// `quality`.
void PublishCounters(const AgentCounters& all, std::map<std::string, int64_t>& quality);

}  // namespace gprofx
