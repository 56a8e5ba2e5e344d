// Summarizes the durations of a group (event.h): quantiles, and clusters if there are two. The rank
// that owns the group makes the summary after all executions have been surveyed. No other rank then
// needs the histogram. Used inside core/variability only. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/variability/event.h"
#include "core/variability/statistics/spread.h"

namespace gprofx::variability {

// For sums of durations: over terabytes of traces, they do not fit in 64 bits.
__extension__ typedef __int128 Int128;

// Minimum number of executions of a group that votes (PlanGroup::votes).
inline constexpr uint64_t kMinVotes = 8;

struct SpreadSummary {
  uint64_t n = 0;
  bool exact = true;
  double median = 0, mad = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0, least = 0, most = 0;
  double total = 0;  // ns, from the cells of the histogram: as accurate as the cells are narrow
};

struct GroupSummary {
  std::string key;       // as TextOf() returns it
  uint64_t warm_up = 0;  // executions during the warm-up, which are left out
  Int128 sum = 0;        // ns, of the executions not left out
  SpreadSummary whole;
  // Longest duration in the shorter cluster; nullopt = there is only one cluster.
  std::optional<int64_t> threshold;
  std::array<SpreadSummary, 2> clusters{};  // shorter cluster, longer cluster
};

// Fills `group.whole` and, if there are two clusters, `group.threshold` and `group.clusters`. Call
// durations.Settle() before.
void Describe(Kind kind, const Spread& durations, GroupSummary& group);

// Returns the value that separates the two clusters of the durations; nullopt if they form one
// cluster.
std::optional<int64_t> FindClusters(const Spread& spread);

void WriteSummary(const GroupSummary& group, ByteWriter& out);
GroupSummary ReadSummary(ByteReader& in);

}  // namespace gprofx::variability
