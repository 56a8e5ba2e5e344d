// Checks rules against a comparison.
//
// A rule about times fires if a test shows, at the settings' false discovery rate over all subjects
// of the rule, that the change is larger than the limit; so the lower end of the confidence
// interval is above it. It holds if the measured change is within the limit and twice the limit can
// be excluded. Otherwise it is inconclusive. Time that only moved (changes.h) fires nothing. A
// renamed part is compared with its time under the old name. A new part fires if every run of the
// head has it and the whole is slower; otherwise it is inconclusive. A rule about counts fires if
// every run of the head exceeds every run of the base by more than the limit, and holds if none
// does. Otherwise, and if nothing was counted, it is inconclusive. For rules about findings see
// finding_check.h. Pure.
#pragma once

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

// Marks suppressed changes, judges the data again and fills diff.rules with at least one result per
// rule. Must be the last change to a Diff: results refer to its changes by index.
//
// `again`: after Confirmed (confirm.h), the comparison of the fresh runs alone. A rule about times
// then fires only if the fresh runs also point beyond its limit; otherwise it is inconclusive.
// Counts and findings need no confirmation.
void CheckRules(const RuleSet& rules, const Settings& settings, Diff& diff,
                const Diff* again = nullptr);

// True if fresh runs should be made after `first` because a rule about times may fire.
bool RulesNeedConfirmation(const RuleSet& rules, const Settings& settings, Diff first);

// Returns the verdict of a comparison with rules: kRegression if an unsuppressed rule fires,
// kInconclusive if a rule is inconclusive or the sides are not comparable, else kEquivalent.
// Without rules, the verdict of the data.
Verdict RuledVerdict(const Diff& diff);

}  // namespace gprofx::compare
