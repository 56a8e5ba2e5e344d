// The named counters of a recording: sums over its processes of what the agents counted, with their
// names in the profile. Pure functions over copies of the counters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "samplers/wire/layout.h"

namespace gprofx {

struct AgentCounters {
  std::array<uint64_t, wire::kCounterCount> counters{};
  std::array<uint64_t, wire::kHandlerBuckets> handler{};  // histogram of run times

  void Add(const wire::ProcessHeader& header);
};

// Value below which `share` of the handler's runs lie, in ns; 0 without runs.
int64_t HandlerPercentile(const AgentCounters& all, double share);

// Writes every counter under its name (samples, dropped_samples, ..., handler_median_ns) into
// `quality`.
void PublishCounters(const AgentCounters& all, std::map<std::string, int64_t>& quality);

}  // namespace gprofx
