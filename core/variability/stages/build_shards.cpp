// Finds shards that differ from the others. A permutation test compares the blocks (pieces of time
// or of steps) of a shard with the blocks of the other shards. It first tests for an effect that
// most groups of kernels have in common. It then subtracts this effect and tests each group. The
// two series of tests share the false discovery rate equally.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/quantile.h"
#include "core/variability/stages/build.h"
#include "core/variability/statistics/statistics.h"

namespace gprofx::variability {
namespace {

constexpr size_t kMinShardValues = 3;  // minimum number of values of a shard for a common effect
// An explanation must account for at least this fraction of an effect.
constexpr double kMinShare = 0.5;

// Values of blocks. by_shard[i] holds the positions in `values` of the blocks of shard i.
struct Blocks {
  std::vector<double> values;
  std::map<uint32_t, std::vector<uint32_t>> by_shard;

  void Add(uint32_t shard, double value) {
    by_shard[shard].push_back(static_cast<uint32_t>(values.size()));
    values.push_back(value);
  }
  // Returns the median within a shard minus the median of all other shards.
  double Difference(uint32_t shard) const {
    std::vector<double> inside, outside;
    for (const auto& [other, positions] : by_shard) {
      for (const uint32_t i : positions) (other == shard ? inside : outside).push_back(values[i]);
    }
    return Median(std::move(inside)) - Median(std::move(outside));
  }
};

struct Test {
  std::optional<uint32_t> row;
  uint32_t shard = 0;
  double effect = 0, p = 1;
};

class Shards {
 public:
  explicit Shards(Build& build) : build_(build), common_(build.model.shards.size(), 0.0) {}

  void Run() {
    Count();
    TestCommon();
    TestGroups();
    std::sort(build_.model.findings.begin(), build_.model.findings.end(),
              [](const Finding& a, const Finding& b) {
                return std::tuple(-a.excess_ns, a.shard, a.group) <
                       std::tuple(-b.excess_ns, b.shard, b.group);
              });
  }

 private:
  bool Votes(const BlockCell& cell) const {
    const GroupRow& row = build_.model.groups[cell.row];
    return row.votes && (row.key.kind != Kind::kCollective || build_.matched[cell.row] == 0);
  }
  double ExcessOf(const BlockCell& cell) const {
    return static_cast<double>(cell.cell.sum) -
           static_cast<double>(cell.cell.n) * build_.model.groups[cell.row].median;
  }

  void Count() {
    std::vector<ShardRow>& shards = build_.model.shards;
    for (const BlockCell& cell : build_.cells) {
      if (!Votes(cell)) continue;
      shards[cell.shard].voting += cell.cell.n;
      shards[cell.shard].excess_ns += ExcessOf(cell);
    }
    std::vector<double> kernels;
    for (const ShardRow& shard : shards) kernels.push_back(static_cast<double>(shard.kernels));
    const double expected = Median(kernels);
    for (ShardRow& shard : shards) shard.expected = expected;
    // Collects all executions of each shard, as the log ratio `r` of their duration to the median
    // of their group.
    std::map<uint32_t, std::vector<std::pair<double, double>>> values;
    for (const auto& [key, spread] : build_.tally.spreads) {
      const double shift =
          key.second == 0 ? 0 : static_cast<double>(build_.shift_of[key.second - 1]);
      for (const SpreadCell& cell : spread.cells()) {
        const double r = static_cast<double>(cell.value) * static_cast<double>(kPairUnit) -
                         static_cast<double>(kMaxLog) + shift;
        values[key.first].emplace_back(r, static_cast<double>(cell.count));
      }
    }
    for (auto& [shard, all] : values) {
      shards[shard].ratio = RatioOf(WeightedQuantile(all, 0.5));
      shards[shard].relative_iqr =
          RatioOf(WeightedQuantile(all, 0.75)) - RatioOf(WeightedQuantile(all, 0.25));
    }
  }

  void TestCommon() {
    std::unordered_map<uint64_t, std::vector<double>> by_block;  // lane << 32 | bin
    for (const BlockCell& cell : build_.cells) {
      const GroupRow& row = build_.model.groups[cell.row];
      if (!row.votes || row.key.kind != Kind::kCompute) continue;
      by_block[uint64_t{cell.lane} << 32 | cell.bin].push_back(cell.mean_r);
    }
    std::vector<uint64_t> places;
    for (const auto& [place, values] : by_block) {
      if (values.size() >= kMinShardValues) places.push_back(place);
    }
    std::sort(places.begin(), places.end());
    Blocks blocks;
    for (const uint64_t place : places) {
      const auto lane = static_cast<uint32_t>(place >> 32), bin = static_cast<uint32_t>(place);
      blocks.Add(ShardOf(build_.plan, lane, bin), Median(std::move(by_block[place])));
    }
    const RankedValues ranks = RanksOf(blocks.values);
    std::vector<Test> tests;
    for (const auto& [shard, positions] : blocks.by_shard) {
      const double p = PermutationTest(ranks, positions, RandomAt(1, shard));
      tests.push_back({std::nullopt, shard, blocks.Difference(shard), p});
      build_.model.shards[shard].p = p;
    }
    for (const Test& test : Significant(tests)) {
      build_.model.shards[test.shard].is_finding = true;
      common_[test.shard] = test.effect;
      Add(test);
    }
  }

  void TestGroups() {
    std::vector<Test> tests;
    for (size_t at = 0; at < build_.cells.size();) {
      const uint32_t row = build_.cells[at].row;
      const bool votes = Votes(build_.cells[at]);
      Blocks blocks;
      for (; at < build_.cells.size() && build_.cells[at].row == row; ++at) {
        const BlockCell& cell = build_.cells[at];
        blocks.Add(cell.shard, cell.mean_r - common_[cell.shard]);
      }
      if (!votes || blocks.by_shard.size() < 2) continue;
      const RankedValues ranks = RanksOf(blocks.values);
      const uint64_t key = build_.plan.groups[build_.group_of[row]].hash.low;
      for (const auto& [shard, positions] : blocks.by_shard) {
        const double p = PermutationTest(ranks, positions, RandomAt(key, shard));
        tests.push_back({row, shard, p < kRate ? blocks.Difference(shard) : 0, p});
      }
    }
    for (const Test& test : Significant(tests)) {
      build_.model.shards[test.shard].is_finding = true;
      Add(test);
    }
  }

  static std::vector<Test> Significant(const std::vector<Test>& tests) {
    std::vector<double> p;
    for (const Test& test : tests) p.push_back(test.p);
    const std::vector<bool> found = Discoveries(p, kRate / 2);
    std::vector<Test> out;
    for (size_t i = 0; i < tests.size(); ++i) {
      if (found[i] && IsLarge(RatioOf(tests[i].effect))) out.push_back(tests[i]);
    }
    return out;
  }

  void Add(const Test& test) {
    Finding finding;
    finding.group = test.row;
    finding.shard = test.shard;
    finding.ratio = RatioOf(test.effect);
    finding.p = test.p;
    for (const BlockCell& cell : CellsOf(test.row)) {
      const bool is_kernel = build_.model.groups[cell.row].key.kind == Kind::kCompute;
      if (cell.shard != test.shard || !Votes(cell) || (!test.row && !is_kernel)) continue;
      finding.n += cell.cell.n;
      finding.excess_ns += ExcessOf(cell);
    }
    if (build_.steps > 0) {
      finding.excess_per_step_ns = finding.excess_ns / static_cast<double>(build_.steps);
    }
    finding.why = Explain(test);
    build_.model.findings.push_back(finding);
  }

  // Returns the cells of a row, or all cells if `row` is unset. The cells are sorted by row.
  std::span<const BlockCell> CellsOf(std::optional<uint32_t> row) const {
    if (!row) return build_.cells;
    const auto at = std::equal_range(build_.cells.begin(), build_.cells.end(), *row, ByRow{});
    return {at.first, at.second};
  }
  struct ByRow {
    bool operator()(const BlockCell& cell, uint32_t row) const { return cell.row < row; }
    bool operator()(uint32_t row, const BlockCell& cell) const { return row < cell.row; }
  };

  // Returns the explanation that accounts for most of a shard's difference. An effect of concurrent
  // work (EffectRow) accounts for its size times a difference of fractions: that of affected
  // executions in this shard minus that in the other shards.
  Explanation Explain(const Test& test) const {
    Explanation best;
    if (test.row && build_.model.groups[*test.row].key.kind == Kind::kCollective) {
      return {Cause::kOneRank, {}, 0};
    }
    for (uint8_t i = 0; i < kBesides; ++i) {
      double explained = 0, weight = 0;
      for (const EffectRow& effect : build_.model.effects) {
        if (!effect.is_finding || static_cast<uint8_t>(effect.beside) != i) continue;
        if (test.row && effect.group != *test.row) continue;
        const double more = MoreBeside(effect.group, test.shard, i);
        const double size = build_.model.groups[effect.group].total_ns;
        explained += size * std::log2(effect.ratio) * static_cast<double>(kLogOne) * more;
        weight += size;
      }
      if (!test.row) {
        weight = 0;
        for (const GroupRow& row : build_.model.groups) {
          if (row.votes && row.key.kind == Kind::kCompute) weight += row.total_ns;
        }
      }
      const double share = weight > 0 ? explained / weight / test.effect : 0;
      if (share >= kMinShare && share > best.share) {
        best = {Cause::kBeside, static_cast<Beside>(i), std::min(share, 1.0)};
      }
    }
    if (best.cause == Cause::kNone && !test.row) return {Cause::kCommon, {}, 0};
    return best;
  }

  // Returns two fractions of a row's executions that had `beside` beside them, one minus the other:
  // that in the shard minus that in all other shards.
  double MoreBeside(uint32_t row, uint32_t shard, uint8_t beside) const {
    double n[2] = {}, with[2] = {};
    for (const BlockCell& cell : CellsOf(row)) {
      const size_t side = cell.shard == shard ? 0 : 1;
      n[side] += static_cast<double>(cell.cell.n);
      with[side] += cell.cell.beside[beside];
    }
    return n[0] > 0 && n[1] > 0 ? with[0] / n[0] - with[1] / n[1] : 0;
  }

  Build& build_;
  std::vector<double> common_;  // effect on most groups, by shard
};

}  // namespace

void BuildShards(Build& build) { Shards(build).Run(); }

}  // namespace gprofx::variability
