#include "core/interval_sweep.h"

#include <algorithm>

namespace gprofx {
namespace {

struct Edge {
  HostNs time = 0;
  uint32_t rank = 0;
  int change = 0;  // of the number of intervals of this rank
};

std::vector<Edge> EdgesWithin(std::span<const RankedInterval> intervals, HostNs begin, HostNs end) {
  std::vector<Edge> edges;
  edges.reserve(intervals.size() * 2);
  for (const RankedInterval& interval : intervals) {
    const HostNs from = std::max(interval.begin, begin);
    const HostNs to = std::min(interval.end, end);
    if (from >= to) continue;
    edges.push_back({from, interval.rank, +1});
    edges.push_back({to, interval.rank, -1});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  return edges;
}

}  // namespace

Sweep SweepIntervals(std::span<const RankedInterval> intervals, HostNs begin, HostNs end) {
  Sweep sweep;
  std::map<uint32_t, int64_t> active;  // rank -> intervals that are open; none of them 0
  HostNs at = begin;
  const auto pass = [&](HostNs until) {
    if (until <= at) return;
    if (!active.empty()) {
      sweep.ns[active.begin()->first] += until - at;
    } else if (!sweep.gaps.empty() && sweep.gaps.back().end == at) {
      sweep.gaps.back().end = until;
    } else {
      sweep.gaps.push_back({at, until});
    }
    at = until;
  };
  for (const Edge& edge : EdgesWithin(intervals, begin, end)) {
    pass(edge.time);
    // At one moment a close may come before its open: the count is negative for that moment only.
    if ((active[edge.rank] += edge.change) == 0) active.erase(edge.rank);
  }
  pass(end);
  return sweep;
}

}  // namespace gprofx
