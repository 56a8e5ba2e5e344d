// What is known of a group in a few numbers, once all of its executions were seen: made by the rank
// that owns the group, so that no other rank needs to have its histogram. Used inside
// core/variability only. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/variability/event.h"
#include "core/variability/statistics/spread.h"

namespace gprofx::variability {

// Sums of terabytes do not fit 64 bits.
__extension__ typedef __int128 Int128;

inline constexpr uint64_t kMinVotes = 8;  // a group with fewer executions says nothing

struct SpreadSummary {
  uint64_t n = 0;
  bool exact = true;
  double median = 0, mad = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0, least = 0, most = 0;
  double total = 0;  // from the cells: within their width
};

struct GroupSummary {
  std::string key;       // TextOf
  uint64_t warm_up = 0;  // executions left out
  Int128 sum = 0;        // of the others
  SpreadSummary whole;
  std::optional<int64_t> threshold;         // the longest of the shorter cluster; there are two
  std::array<SpreadSummary, 2> clusters{};  // shorter, longer
};

// `durations` of a group, settled.
void Describe(Kind kind, const Spread& durations, GroupSummary& group);

// Where the durations of a group fall into two clusters: the value between them.
std::optional<int64_t> FindClusters(const Spread& spread);

void WriteSummary(const GroupSummary& group, ByteWriter& out);
GroupSummary ReadSummary(ByteReader& in);

}  // namespace gprofx::variability
