// Collectives seen on several lanes: those of a group that overlap in time are one operation. Until
// the last lane has come the others wait, from then on all transfer; who comes last more often than
// its share is the late one.
#include <algorithm>
#include <map>
#include <tuple>

#include "core/variability/build.h"
#include "core/variability/sort_runs.h"
#include "core/variability/statistics.h"

namespace gprofx::variability {
namespace {

constexpr double kLeastLateness = 5'000;  // ns each time: less is how clocks differ

struct Lateness {
  LateRow row;
  double expected = 0;  // times last if all were alike
  double busy = 0, idle = 0;  // more than the others before it came last, summed up
  uint64_t known = 0;
};

using Operation = std::vector<const CollectiveTally*>;

class Matcher {
 public:
  explicit Matcher(Build& build) : build_(build), lanes_(build.plan.lanes.size()) {
    for (uint32_t i = 0; i < lanes_.size(); ++i) lanes_[i].row.lane = i;
  }

  void Run() {
    std::map<uint32_t, Operation> by_group;
    for (const CollectiveTally& one : build_.tally.collectives) {
      by_group[build_.row_of[one.group]].push_back(&one);
    }
    for (auto& [row, all] : by_group) Match(row, all);
    Finish();
  }

 private:
  void Match(uint32_t row, Operation& all) {
    SortRuns(all, [](const auto* a, const auto* b) {
      return std::tie(a->start, a->lane, a->end) < std::tie(b->start, b->lane, b->end);
    });
    CollectiveRow summary;
    summary.group = row;
    Operation open;
    int64_t least_end = INT64_MAX;
    const auto close = [&] {
      if (open.size() > 1) Take(open, summary);
      open.clear();
      least_end = INT64_MAX;
    };
    for (const CollectiveTally* one : all) {
      const bool is_known = std::any_of(open.begin(), open.end(), [&](const auto* other) {
        return other->lane == one->lane;
      });
      if (is_known || one->start >= least_end) close();
      open.push_back(one);
      least_end = std::min(least_end, one->end);
    }
    close();
    if (summary.n == 0) return;
    build_.matched[row] = 1;
    build_.model.waiting_ns += summary.waiting_ns;
    build_.model.transfer_ns += summary.transfer_ns;
    build_.model.collectives.push_back(summary);
  }

  void Take(const Operation& all, CollectiveRow& summary) {
    const CollectiveTally& last = *all.back();  // in order of start
    const CollectiveTally& before = *all[all.size() - 2];
    ++summary.n;
    std::vector<double> busy, idle;
    for (const CollectiveTally* one : all) {
      Lateness& lane = lanes_[one->lane];
      const auto waited = static_cast<double>(last.start - one->start);
      ++lane.row.collectives;
      lane.expected += 1.0 / static_cast<double>(all.size());
      lane.row.waited_ns += waited;
      summary.waiting_ns += waited;
      summary.transfer_ns += static_cast<double>(one->end - last.start);
      const int64_t bin = BinOf(build_.plan, one->lane, one->start);
      if (bin >= 0) {
        const uint32_t shard = ShardOf(build_.plan, one->lane, static_cast<uint32_t>(bin));
        build_.model.shards[shard].waiting_ns += waited;
      }
      if (one == &last || one->busy_before < 0) continue;
      busy.push_back(static_cast<double>(one->busy_before));
      idle.push_back(static_cast<double>(one->idle_before));
    }
    if (last.start == before.start) return;
    for (const CollectiveTally* one : all) {
      build_.arrivals.push_back({one->lane, last.lane, one->start, last.start,
                                 last.start - before.start});
    }
    Lateness& late = lanes_[last.lane];
    ++late.row.last;
    late.row.caused_ns += static_cast<double>(last.start - before.start);
    if (last.busy_before < 0 || busy.empty()) return;
    ++late.known;
    late.busy += static_cast<double>(last.busy_before) - MedianOf(busy);
    late.idle += static_cast<double>(last.idle_before) - MedianOf(idle);
  }

  void Finish() {
    std::vector<double> p;
    for (Lateness& lane : lanes_) {
      LateRow& row = lane.row;
      const double share = lane.expected / std::max<double>(static_cast<double>(row.collectives), 1);
      row.p = row.collectives == 0 ? 1 : BinomialTail(row.last, row.collectives, share);
      const auto known = static_cast<double>(std::max<uint64_t>(lane.known, 1));
      row.more_busy_ns = lane.busy / known;
      row.more_idle_ns = lane.idle / known;
      p.push_back(row.p);
    }
    const std::vector<bool> found = Discoveries(p, kRate);
    for (size_t i = 0; i < lanes_.size(); ++i) {
      LateRow& row = lanes_[i].row;
      if (row.collectives == 0) continue;
      row.is_finding = found[i] && row.caused_ns >= kLeastLateness * static_cast<double>(row.last);
      build_.model.late.push_back(row);
    }
    std::sort(build_.model.late.begin(), build_.model.late.end(),
              [](const LateRow& a, const LateRow& b) {
                return std::tuple(-a.caused_ns, a.lane) < std::tuple(-b.caused_ns, b.lane);
              });
    std::sort(build_.model.collectives.begin(), build_.model.collectives.end(),
              [](const CollectiveRow& a, const CollectiveRow& b) {
                return std::tuple(-a.waiting_ns, a.group) < std::tuple(-b.waiting_ns, b.group);
              });
  }

  Build& build_;
  std::vector<Lateness> lanes_;
};

}  // namespace

void BuildCollectives(Build& build) { Matcher(build).Run(); }

}  // namespace gprofx::variability
