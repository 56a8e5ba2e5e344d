// What became of rules in a comparison.
//
// A rule about times fires where a test says, at the rate of false discoveries of the settings over
// all that the rule is about, that the change is larger than its limit; so the lower end of what is
// believed lies above it. It holds where what was measured is within the limit and twice the limit
// can be excluded; else it cannot be told. Time that only moved (changes.h) fires nothing. What is
// renamed is compared with what it took under its old name; what is new fires where every run of
// the head has it and the whole is slower, and cannot be told else. A rule about counts fires where
// every run of the head has more, by more than the limit, than every run of the base; it holds
// where none has; else, and where nothing was counted, it cannot be told. Of rules about findings
// see finding_check.h. Pure.
#pragma once

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

// Marks what is suppressed, judges the data again and fills diff.rules: at least one result for
// each rule. The last thing that is done with a Diff: results refer to its changes by position.
//
// `again`: after Confirmed (confirm.h) the fresh runs alone. A rule about times then fires only
// where they point beyond its limit as well, else it cannot be told. Counts and findings need no
// second look.
void CheckRules(const RuleSet& rules, const Settings& settings, Diff& diff,
                const Diff* again = nullptr);

// Whether fresh runs should be made after `first` because a rule about times may fire.
bool RulesNeedConfirmation(const RuleSet& rules, const Settings& settings, Diff first);

// What a comparison with rules comes to: kRegression where one fires that is not suppressed,
// kInconclusive where one cannot be told or the sides cannot be compared, else kEquivalent. Without
// rules what the data say.
Verdict RuledVerdict(const Diff& diff);

}  // namespace gprofx::compare
