// Makes the table of groups. A row describes the spread of the durations of a group. If the
// durations form two clusters, these may be two kinds of work: both then occur equally often
// everywhere and have the same work beside them. Such a group becomes two rows. Otherwise the group
// stays one row, because findings must explain the difference between the clusters.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "core/variability/stages/build.h"
#include "core/variability/statistics/statistics.h"

namespace gprofx::variability {
namespace {

// Maximum chi square per degree of freedom for clusters that are two kinds of work.
constexpr double kMaxDispersion = 4;
// Maximum difference between the fractions of both clusters that have something beside them.
constexpr double kMaxDifference = 0.2;

struct ClusterCounts {
  std::map<uint32_t, std::array<uint64_t, 2>> by_shard;
  std::array<uint64_t, 2> n{};
  std::array<std::array<uint64_t, kBesides>, 2> beside{};
};

bool AreTwoKinds(const ClusterCounts& counts) {
  const double all = static_cast<double>(counts.n[0] + counts.n[1]);
  if (counts.n[0] == 0 || counts.n[1] == 0) return false;
  const double share = static_cast<double>(counts.n[1]) / all;
  double chi = 0, freedom = 0;
  for (const auto& [shard, n] : counts.by_shard) {
    const double here = static_cast<double>(n[0] + n[1]), expected = here * share;
    const double off = static_cast<double>(n[1]) - expected;
    chi += off * off / (expected * (1 - share));
    ++freedom;
  }
  if (freedom > 1 && chi / (freedom - 1) > kMaxDispersion) return false;
  for (size_t i = 0; i < kBesides; ++i) {
    const double a = static_cast<double>(counts.beside[0][i]) / static_cast<double>(counts.n[0]);
    const double b = static_cast<double>(counts.beside[1][i]) / static_cast<double>(counts.n[1]);
    if (std::abs(a - b) > kMaxDifference) return false;
  }
  return true;
}

std::vector<uint8_t> KeepClusters(const Build& build) {
  const std::vector<PlanGroup>& groups = build.plan.groups;
  const bool has_some = std::any_of(groups.begin(), groups.end(),
                                    [](const PlanGroup& group) { return group.has_clusters; });
  if (!has_some) return std::vector<uint8_t>(groups.size());
  std::map<uint32_t, ClusterCounts> counts;
  for (const auto& [key, cell] : build.tally.cells.rows()) {
    const PlanGroup& group = build.plan.groups[key.group];
    if (!group.has_clusters) continue;
    ClusterCounts& one = counts[group.base];
    const size_t cluster = key.group - group.base;
    one.by_shard[ShardOf(build.plan, key.lane, key.bin)][cluster] += cell.n;
    one.n[cluster] += cell.n;
    for (size_t i = 0; i < kBesides; ++i) one.beside[cluster][i] += cell.beside[i];
  }
  std::vector<uint8_t> keep(build.plan.groups.size());
  for (const auto& [base, one] : counts) keep[base] = AreTwoKinds(one) ? 1 : 0;
  return keep;
}

GroupRow RowOf(const GroupSummary& group, const SpreadSummary& spread, int cluster) {
  GroupRow row;
  row.key = KeyOf(group.key);
  row.cluster = cluster;
  row.n = spread.n;
  row.warm_up = cluster < 2 ? group.warm_up : 0;
  row.exact = spread.exact;
  row.votes = row.n >= kMinVotes;
  row.median = spread.median;
  row.mad = spread.mad;
  row.p25 = spread.p25;
  row.p75 = spread.p75;
  row.p95 = spread.p95;
  row.p99 = spread.p99;
  row.least = spread.least;
  row.most = spread.most;
  row.relative_iqr = row.median > 0 ? (row.p75 - row.p25) / row.median : 0;
  row.total_ns = cluster == 0 ? static_cast<double>(group.sum) : spread.total;
  row.excess_ns = row.total_ns - static_cast<double>(row.n) * row.median;
  return row;
}

double Lag1(const LagTally& lag) {
  const auto n = static_cast<double>(lag.n);
  if (lag.n < kMinVotes) return 0;
  const double x = static_cast<double>(lag.x) / n, y = static_cast<double>(lag.y) / n;
  const double xx = static_cast<double>(lag.xx) / n - x * x;
  const double yy = static_cast<double>(lag.yy) / n - y * y;
  const double xy = static_cast<double>(lag.xy) / n - x * y;
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

void AddRows(Build& build) {
  const Plan& plan = build.plan;
  const std::vector<uint8_t> keep = KeepClusters(build);
  build.row_of.resize(plan.groups.size());
  build.shift_of.resize(plan.groups.size());
  for (uint32_t at = 0; at < plan.groups.size(); ++at) {
    const PlanGroup& group = plan.groups[at];
    if (group.base != at) continue;
    const GroupSummary& found = build.survey.summaries.at(group.hash);
    const bool split = group.has_clusters && keep[at] != 0;
    for (uint32_t cluster = 0; cluster < (split ? 2U : 1U); ++cluster) {
      const SpreadSummary& part = split ? found.clusters[cluster] : found.whole;
      const auto row = static_cast<uint32_t>(build.model.groups.size());
      build.model.groups.push_back(RowOf(found, part, split ? static_cast<int>(cluster) + 1 : 0));
      build.row_of[at + cluster] = row;
      build.group_of.push_back(at + cluster);
      build.whole_of.push_back(split ? 0 : 1);
      build.model.groups.back().first_cell = at + cluster;
      if (const auto lag = build.tally.lags.find(at); !split && lag != build.tally.lags.end()) {
        build.model.groups.back().lag1 = Lag1(lag->second);
      }
    }
    if (group.has_clusters && !split) {
      build.row_of[at + 1] = build.row_of[at];
      for (const uint32_t one : {at, at + 1}) {
        build.shift_of[one] = plan.groups[one].log_median - group.log_whole;
      }
    }
  }
}

BlockCell CellOf(const Build& build, const CellRow& from) {
  const auto& [key, cell] = from;
  BlockCell block{
      build.row_of[key.group], ShardOf(build.plan, key.lane, key.bin), key.lane, key.bin, cell, 0};
  block.cell.sum_r += static_cast<int64_t>(cell.n) * build.shift_of[key.group];
  return block;
}

// Returns the cells sorted by row, shard, lane and bin. The tally's cells are sorted by group, lane
// and bin, and rows are in the order of groups. Only the cells of each row must be sorted.
std::vector<BlockCell> InOrder(const Build& build) {
  const std::span<const CellRow> all = build.tally.cells.rows();
  std::vector<BlockCell> cells(all.size());
  const auto row_of = [&](size_t i) { return build.row_of[all[i].key.group]; };
  const auto shard_of = [&](size_t i) {
    return ShardOf(build.plan, all[i].key.lane, all[i].key.bin);
  };
  std::vector<size_t> place(build.plan.shards + 1);
  for (size_t first = 0, last = 0; first < all.size(); first = last) {
    std::fill(place.begin(), place.end(), 0);
    for (; last < all.size() && row_of(last) == row_of(first); ++last) ++place[shard_of(last) + 1];
    place[0] = first;
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (size_t i = first; i < last; ++i) cells[place[shard_of(i)]++] = CellOf(build, all[i]);
  }
  return cells;
}

// Merges cells with the same row, shard, lane and bin. They come from the two clusters of a group.
void JoinClusters(std::vector<BlockCell>& cells) {
  const auto place = [](const BlockCell& c) { return std::tuple(c.row, c.shard, c.lane, c.bin); };
  const auto before = [&](const BlockCell& a, const BlockCell& b) { return place(a) < place(b); };
  if (!std::is_sorted(cells.begin(), cells.end(), before)) {
    std::stable_sort(cells.begin(), cells.end(), before);
  }
  size_t kept = 0;
  for (const BlockCell& cell : cells) {
    if (kept > 0 && place(cells[kept - 1]) == place(cell)) {
      cells[kept - 1].cell.Add(cell.cell);
    } else {
      cells[kept++] = cell;
    }
  }
  cells.resize(kept);
}

void AddCells(Build& build) {
  build.cells = InOrder(build);
  JoinClusters(build.cells);
  for (BlockCell& cell : build.cells) {
    cell.mean_r = static_cast<double>(cell.cell.sum_r) / static_cast<double>(cell.cell.n);
  }
}

// Sets GroupRow::trend to the slope over the medians of 16 time intervals. Bins must be blocks of
// time.
void AddTrends(Build& build) {
  constexpr uint32_t kIntervals = 16;
  const Plan& plan = build.plan;
  for (size_t at = 0; at < build.cells.size();) {
    std::array<std::vector<std::pair<double, double>>, kIntervals> pieces;
    const uint32_t row = build.cells[at].row;
    for (; at < build.cells.size() && build.cells[at].row == row; ++at) {
      const BlockCell& cell = build.cells[at];
      pieces[uint64_t{cell.bin} * kIntervals / plan.bins].emplace_back(
          cell.mean_r, static_cast<double>(cell.cell.n));
    }
    std::vector<std::pair<double, double>> points;
    for (uint32_t i = 0; i < kIntervals; ++i) {
      if (pieces[i].empty()) continue;
      points.emplace_back((i + 0.5) / kIntervals, WeightedQuantile(std::move(pieces[i]), 0.5));
    }
    if (points.size() >= 4) build.model.groups[row].trend = RatioOf(TheilSen(points)) - 1;
  }
}

}  // namespace

void BuildGroups(Build& build) {
  AddRows(build);
  AddCells(build);
  AddTrends(build);
  build.matched.assign(build.model.groups.size(), 0);
}

}  // namespace gprofx::variability
