#include "core/compare/confirm.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace gprofx::compare {
namespace {

using Key = std::tuple<FrameKind, std::string, std::string>;

Key KeyOf(const Change& change) {
  return {change.part.kind, change.part.module, change.part.name};
}

void ConfirmOutcome(Outcome& outcome, const Outcome* again, const Settings& settings) {
  if (outcome.verdict != Verdict::kRegression) return;
  if (again == nullptr || !Confirms(outcome, *again, settings)) {
    outcome.verdict = Verdict::kInconclusive;
  }
}

void ConfirmChanges(std::vector<Change>& changes, const std::vector<Change>& again,
                    const Settings& settings) {
  std::map<Key, const Outcome*> seen;
  for (const Change& change : again) seen.emplace(KeyOf(change), &change.outcome);
  for (Change& change : changes) {
    const auto found = seen.find(KeyOf(change));
    ConfirmOutcome(change.outcome, found == seen.end() ? nullptr : found->second, settings);
  }
}

}  // namespace

Diff Confirmed(Diff first, const Diff& again, const Settings& settings) {
  ConfirmOutcome(first.total, &again.total, settings);
  ConfirmOutcome(first.gpu_total, &again.gpu_total, settings);
  ConfirmChanges(first.functions, again.functions, settings);
  ConfirmChanges(first.kernels, again.kernels, settings);
  Judge(first);
  return first;
}

bool NeedsConfirmation(const Diff& first) { return first.verdict == Verdict::kRegression; }

}  // namespace gprofx::compare
