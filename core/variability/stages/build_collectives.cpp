// Makes two tables of the model: collectives that were matched between lanes, and late lanes, which
// arrive last more often than chance predicts.
#include <algorithm>
#include <tuple>

#include "core/variability/stages/build.h"
#include "core/variability/statistics/statistics.h"

namespace gprofx::variability {
namespace {

// Minimum lateness (ns) per operation. Smaller values may come from differences between clocks.
constexpr double kMinLateness = 5'000;

void AddOperations(Build& build) {
  Model& model = build.model;
  for (const auto& [group, sums] : build.tally.matches.groups) {
    CollectiveRow row;
    row.group = build.row_of[group];
    row.n = sums.n;
    row.waiting_ns = static_cast<double>(sums.waiting);
    row.transfer_ns = static_cast<double>(sums.transfer);
    build.matched[row.group] = 1;
    model.waiting_ns += row.waiting_ns;
    model.transfer_ns += row.transfer_ns;
    model.collectives.push_back(row);
  }
  for (const auto& [shard, ns] : build.tally.matches.waiting) {
    model.shards[shard].waiting_ns += static_cast<double>(ns);
  }
  std::sort(model.collectives.begin(), model.collectives.end(),
            [](const CollectiveRow& a, const CollectiveRow& b) {
              return std::tuple(-a.waiting_ns, a.group) < std::tuple(-b.waiting_ns, b.group);
            });
}

LateRow RowOf(uint32_t lane, const Matches::Lane& sums) {
  LateRow row;
  row.lane = lane;
  row.collectives = sums.n;
  row.last = sums.last;
  row.waited_ns = static_cast<double>(sums.waited);
  row.caused_ns = static_cast<double>(sums.caused);
  const double share = static_cast<double>(sums.expected) / static_cast<double>(kCertain) /
                       static_cast<double>(sums.n);
  row.p = BinomialTail(sums.last, sums.n, share);
  const double twice = 2 * static_cast<double>(std::max<uint64_t>(sums.known, 1));
  row.more_busy_ns = static_cast<double>(sums.busy) / twice;
  row.more_idle_ns = static_cast<double>(sums.idle) / twice;
  return row;
}

void AddLate(Build& build) {
  std::vector<LateRow>& late = build.model.late;
  // Each lane is one hypothesis, with p-value 1 if it has no collectives.
  std::vector<double> p(build.plan.lanes.size(), 1);
  for (const auto& [lane, sums] : build.tally.matches.lanes) {
    late.push_back(RowOf(lane, sums));
    p[lane] = late.back().p;
  }
  const std::vector<bool> found = Discoveries(p, kRate);
  for (LateRow& row : late) {
    row.is_finding =
        found[row.lane] && row.caused_ns >= kMinLateness * static_cast<double>(row.last);
  }
  std::sort(late.begin(), late.end(), [](const LateRow& a, const LateRow& b) {
    return std::tuple(-a.caused_ns, a.lane) < std::tuple(-b.caused_ns, b.lane);
  });
}

}  // namespace

void BuildCollectives(Build& build) {
  AddOperations(build);
  AddLate(build);
}

}  // namespace gprofx::variability
