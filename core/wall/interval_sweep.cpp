#include "core/wall/interval_sweep.h"

#include <algorithm>
#include <utility>

namespace gprofx {
namespace {

struct Edge {
  HostNs time = 0;
  uint32_t rank = 0;
  int change = 0;  // change of the number of open intervals of this rank
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

// Number of open intervals by rank. No entry is 0.
using Active = std::map<uint32_t, int64_t>;

void Pass(HostNs from, HostNs to, const Active& active, Sweep& sweep) {
  if (!active.empty()) {
    sweep.ns[active.begin()->first] += to - from;
  } else if (!sweep.gaps.empty() && sweep.gaps.back().end == from) {
    sweep.gaps.back().end = to;
  } else {
    sweep.gaps.push_back({from, to});
  }
}

}  // namespace

std::vector<Sweep> SweepRanges(std::span<const RankedInterval> intervals,
                               std::span<const HostNs> cuts) {
  if (cuts.size() < 2) return {};
  std::vector<Sweep> sweeps(cuts.size() - 1);
  Active active;
  HostNs at = cuts.front();
  size_t range = 0;
  const auto pass = [&](HostNs until) {
    while (at < until) {
      while (cuts[range + 1] <= at) ++range;
      const HostNs next = std::min(until, cuts[range + 1]);
      Pass(at, next, active, sweeps[range]);
      at = next;
    }
  };
  for (const Edge& edge : EdgesWithin(intervals, cuts.front(), cuts.back())) {
    pass(edge.time);
    // Edges at the same time may be in any order. If an end comes before a begin, the count is
    // briefly negative.
    if ((active[edge.rank] += edge.change) == 0) active.erase(edge.rank);
  }
  pass(cuts.back());
  return sweeps;
}

Sweep SweepIntervals(std::span<const RankedInterval> intervals, HostNs begin, HostNs end) {
  if (begin >= end) return {};
  const HostNs cuts[] = {begin, end};
  return std::move(SweepRanges(intervals, cuts).front());
}

}  // namespace gprofx
