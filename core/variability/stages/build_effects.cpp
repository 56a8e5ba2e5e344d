// Makes the table of effects: how concurrent work changes the duration of a group. An effect is
// computed from pairs of an execution with such work and the nearest one without it
// (statistics/pairs.h).
#include <algorithm>
#include <tuple>

#include "core/variability/stages/build.h"
#include "core/variability/statistics/statistics.h"

namespace gprofx::variability {

void BuildEffects(Build& build) {
  std::vector<double> p;
  for (const auto& [key, tally] : build.tally.effects) {
    const bool whole = (key.first & kWhole) != 0;
    const uint32_t row = build.row_of[key.first & ~kWhole];
    if (whole != (build.whole_of[row] != 0)) continue;
    EffectRow effect;
    effect.group = row;
    effect.beside = static_cast<Beside>(key.second);
    effect.treated = tally.treated;
    effect.controls = tally.controls;
    for (const auto& [value, count] : tally.pairs) effect.pairs += count;
    effect.p = SignTest(tally.wins, tally.losses);
    const std::optional<MedianInterval> interval = IntervalOfMedian(tally.pairs);
    effect.tested = interval.has_value();
    if (interval) {
      constexpr auto kUnit = static_cast<double>(kPairUnit);
      effect.ratio = RatioOf(interval->median * kUnit);
      effect.low = RatioOf(interval->low * kUnit);
      effect.high = RatioOf(interval->high * kUnit);
      effect.excess_ns =
          static_cast<double>(effect.treated) * build.model.groups[row].median * (effect.ratio - 1);
      if (build.steps > 0) {
        effect.excess_per_step_ns = effect.excess_ns / static_cast<double>(build.steps);
      }
    }
    p.push_back(effect.tested ? effect.p : 1);
    build.model.effects.push_back(effect);
  }
  const std::vector<bool> found = Discoveries(p, kRate);
  for (size_t i = 0; i < p.size(); ++i) {
    EffectRow& effect = build.model.effects[i];
    effect.is_finding =
        found[i] && effect.tested && IsLarge(effect.ratio) && (effect.low > 1 || effect.high < 1);
  }
  std::sort(build.model.effects.begin(), build.model.effects.end(),
            [](const EffectRow& a, const EffectRow& b) {
              return std::tuple(!a.is_finding, -a.excess_ns, a.group, a.beside) <
                     std::tuple(!b.is_finding, -b.excess_ns, b.group, b.beside);
            });
}

}  // namespace gprofx::variability
