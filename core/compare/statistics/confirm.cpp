#include "core/compare/statistics/confirm.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace gprofx::compare {
namespace {

constexpr double kSuspicion = 0.5;  // maximum false discovery rate in the first stage
constexpr double kAgain = 0.4;      // maximum p-value in the fresh runs alone
constexpr double kTogether = 0.05;  // maximum false discovery rate in all runs together
constexpr double kTotal = 0.03;     // maximum p-value of the whole in all runs together

using Outcomes = std::map<std::string_view, const Outcome*>;  // by key

Outcomes ByKey(const std::vector<Change>& changes) {
  Outcomes outcomes;
  for (const Change& change : changes) outcomes.emplace(change.key, &change.outcome);
  return outcomes;
}

bool IsSlower(const Outcome& outcome) { return outcome.tested && outcome.estimate.effect > 0; }

bool IsSuspicious(const Outcome& outcome) {
  return IsSlower(outcome) && outcome.rate <= kSuspicion;
}

void Decide(const Outcome& first, const Outcome& again, double together, Outcome& all) {
  const bool confirmed = IsSuspicious(first) && IsSlower(again) && again.p <= kAgain &&
                         IsSlower(all) && all.rate <= together;
  if (confirmed) {
    all.verdict = Verdict::kRegression;
  } else if (all.verdict == Verdict::kRegression) {
    all.verdict = Verdict::kInconclusive;
  }
}

void DecideAll(const std::vector<Change>& first, const std::vector<Change>& again,
               std::vector<Change>& all) {
  const Outcomes in_first = ByKey(first), in_again = ByKey(again);
  const Outcome nothing;
  for (Change& change : all) {
    const auto of = [&](const Outcomes& outcomes) -> const Outcome& {
      const auto found = outcomes.find(change.key);
      return found == outcomes.end() ? nothing : *found->second;
    };
    Decide(of(in_first), of(in_again), kTogether, change.outcome);
  }
}

}  // namespace

bool NeedsConfirmation(const Diff& first) {
  const auto is = [](const Change& change) { return IsSuspicious(change.outcome); };
  return first.obstacles.empty() &&
         (IsSuspicious(first.total) || IsSuspicious(first.gpu_total) ||
          std::any_of(first.functions.begin(), first.functions.end(), is) ||
          std::any_of(first.kernels.begin(), first.kernels.end(), is));
}

Diff Confirmed(const Diff& first, const Diff& again, Diff all) {
  Decide(first.total, again.total, kTotal, all.total);
  Decide(first.gpu_total, again.gpu_total, kTotal, all.gpu_total);
  Decide(first.clock_total, again.clock_total, kTotal, all.clock_total);
  DecideAll(first.lines, again.lines, all.lines);
  DecideAll(first.operators, again.operators, all.operators);
  DecideAll(first.functions, again.functions, all.functions);
  DecideAll(first.kernels, again.kernels, all.kernels);
  Judge(all);
  return all;
}

}  // namespace gprofx::compare
