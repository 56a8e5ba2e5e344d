// Checks rules against a comparison. A rule fires, holds or is inconclusive.
//
// Rules about times: A rule fires if a test shows that the change is larger than the limit, at the
// settings' false discovery rate over all subjects of the rule. It holds if the measured change is
// within the limit and the upper end of the confidence interval is at most twice the limit.
// Otherwise it is inconclusive. Time that only moved (cost_shift.h) does not make a rule fire. A
// renamed part is compared with its time under the old name. For a new part, the rule fires if
// every run of the head has the part and the whole is slower; otherwise it is inconclusive.
//
// Rules about counts: A rule fires if every run of the head exceeds every run of the base by more
// than the limit. It holds if no run of the head exceeds any run of the base by more than that.
// Otherwise, and if nothing was counted, it is inconclusive.
//
// finding_check.h checks rules about findings. Pure.
#pragma once

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

// Checks all rules. Marks suppressed changes (suppressions.h), calls Judge(diff) again without
// them, and sets diff.rules to at least one result per rule. The changes of `diff` must not be
// reordered afterwards, because results refer to them by index.
//
// `again` is set after Confirmed (confirm.h): the comparison of the fresh runs alone. A rule about
// times then fires only if the fresh runs, too, show a change beyond its limit; otherwise it is
// inconclusive. Counts and findings need no confirmation.
void CheckRules(const RuleSet& rules, const Settings& settings, Diff& diff,
                const Diff* again = nullptr);

// True if a rule about times may fire in the comparison `first`. Fresh runs should then be made to
// confirm it.
bool RulesNeedConfirmation(const RuleSet& rules, const Settings& settings, Diff first);

// Returns the verdict of a comparison. If there are rules, it is kRegression if an unsuppressed
// rule fires, kInconclusive if a rule is inconclusive or the sides are not comparable, otherwise
// kEquivalent. Without rules, it is the verdict of the data.
Verdict RuledVerdict(const Diff& diff);

}  // namespace gprofx::compare
