#include "core/variability/statistics/pairs.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <span>
#include <tuple>

namespace gprofx::variability {
namespace {

class Pairs {
 public:
  Pairs(const Plan& plan, const std::vector<Execution>& rows, Tally& tally)
      : plan_(plan), rows_(rows), tally_(tally) {}

  // Makes the pairs for each slot and each kind of concurrent work. Within one EffectTally, each
  // clean execution is used at most once.
  void Run(uint32_t slots) {
    std::vector<uint8_t> beside(slots);  // union over the executions of a slot
    for (const Execution& row : rows_) beside[row.slot] |= row.beside;
    // By slot: executions; most slots have nothing to pair.
    std::map<uint32_t, std::vector<uint32_t>> kin;
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      const uint32_t slot = rows_[i].slot;
      if (beside[slot] != 0 && (rows_[i].beside != 0 || rows_[i].is_clean)) kin[slot].push_back(i);
    }
    for (auto& [slot, some] : kin) {
      std::sort(some.begin(), some.end(), [this](uint32_t x, uint32_t y) {
        return std::tie(rows_[x].start, rows_[x].duration, x) <
               std::tie(rows_[y].start, rows_[y].duration, y);
      });
      const bool has_clusters = plan_.groups[rows_[some[0]].base].has_clusters;
      for (uint8_t i = 0; i < kBesides; ++i) {
        if ((beside[slot] >> i & 1) == 0) continue;
        Pair(some, i, true);
        if (has_clusters) Pair(some, i, false);
      }
    }
  }

 private:
  // Pairs the executions of a slot. With `whole`, the two executions of a pair may be in different
  // clusters of the group; without it, they must be in the same cluster.
  void Pair(std::span<const uint32_t> kin, uint8_t beside, bool whole) {
    const uint32_t base = rows_[kin[0]].base;
    if (whole) return PairAmong(kin, beside, base | kWhole);
    for (uint32_t group = base; group < base + 2; ++group) {
      std::vector<uint32_t> some;
      for (const uint32_t i : kin) {
        if (rows_[i].group == group) some.push_back(i);
      }
      if (!some.empty()) PairAmong(some, beside, group);
    }
  }

  void PairAmong(std::span<const uint32_t> kin, uint8_t beside, uint32_t key) {
    EffectTally& effect = tally_.effects[{key, beside}];
    // Link each position to the nearest unused clean execution (control) on its left and on its
    // right.
    const size_t n = kin.size();
    // Following the links leads to an entry that links to itself: right[i] >= i, left[i + 1] <= i +
    // 1.
    std::vector<uint32_t> left(n + 1), right(n + 1);
    const auto is_control = [&](size_t i) { return rows_[kin[i]].is_clean; };
    for (size_t i = 0; i <= n; ++i) left[i] = right[i] = static_cast<uint32_t>(i);
    const auto find = [](std::vector<uint32_t>& links, uint32_t i) {
      while (links[i] != i) i = links[i] = links[links[i]];
      return i;
    };
    for (size_t i = 0; i < n; ++i) {
      if (is_control(i)) {
        ++effect.controls;
        continue;
      }
      left[i + 1] = static_cast<uint32_t>(i);
      right[i] = static_cast<uint32_t>(i + 1);
    }
    for (size_t i = 0; i < n; ++i) {
      const Execution& row = rows_[kin[i]];
      if ((row.beside >> beside & 1) == 0) continue;
      ++effect.treated;
      const uint32_t before = find(left, static_cast<uint32_t>(i + 1));
      const uint32_t after = find(right, static_cast<uint32_t>(i));
      const bool has_before = before > 0, has_after = after < n;
      if (!has_before && !has_after) continue;
      const auto distance = [&](size_t k) { return std::abs(rows_[kin[k]].start - row.start); };
      const bool take_before =
          has_before && (!has_after || distance(before - 1) <= distance(after));
      const size_t chosen = take_before ? before - 1 : after;
      left[chosen + 1] = static_cast<uint32_t>(chosen);
      right[chosen] = static_cast<uint32_t>(chosen + 1);
      const Execution& control = rows_[kin[chosen]];
      const int64_t r = std::clamp(row.log - control.log, -kMaxLog, kMaxLog);
      ++effect.pairs[static_cast<int32_t>(r / kPairUnit)];
      if (row.duration > control.duration) ++effect.wins;
      if (row.duration < control.duration) ++effect.losses;
      AddWrapped(effect.difference, row.duration - control.duration);
    }
  }

  const Plan& plan_;
  const std::vector<Execution>& rows_;
  Tally& tally_;
};

}  // namespace

void MakePairs(const Plan& plan, const std::vector<Execution>& rows, uint32_t slots, Tally& tally) {
  Pairs(plan, rows, tally).Run(slots);
}

}  // namespace gprofx::variability
