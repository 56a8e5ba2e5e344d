// Summary of the durations of a group (event.h), made after the survey has read all of its
// executions. The rank that owns the group makes it, so that no other rank needs the histogram.
// Used inside core/variability only. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/variability/event.h"
#include "core/variability/statistics/spread.h"

namespace gprofx::variability {

// Sums over terabytes of traces do not fit 64 bits.
__extension__ typedef __int128 Int128;

inline constexpr uint64_t kMinVotes = 8;  // minimum of executions for a group to vote (PlanGroup)

struct SpreadSummary {
  uint64_t n = 0;
  bool exact = true;
  double median = 0, mad = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0, least = 0, most = 0;
  double total = 0;  // from the cells: exact to their width
};

struct GroupSummary {
  std::string key;       // TextOf
  uint64_t warm_up = 0;  // executions left out
  Int128 sum = 0;        // of the executions not left out
  SpreadSummary whole;
  std::optional<int64_t> threshold;         // maximum of the shorter cluster, if there are two
  std::array<SpreadSummary, 2> clusters{};  // shorter, longer
};

// Fills `whole`, and if there are two clusters, `threshold` and `clusters`. `durations` must be
// settled.
void Describe(Kind kind, const Spread& durations, GroupSummary& group);

// If the durations of a group form two clusters, returns the value between them.
std::optional<int64_t> FindClusters(const Spread& spread);

void WriteSummary(const GroupSummary& group, ByteWriter& out);
GroupSummary ReadSummary(ByteReader& in);

}  // namespace gprofx::variability
