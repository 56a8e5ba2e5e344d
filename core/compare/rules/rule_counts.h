// Checks rules about counts (rule_check.h). Pure.
#pragma once

#include <string>

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

RuleResult ResultOf(const Rule& rule, Verdict verdict, std::string evidence);

// Checks a rule about a count. A count that no run recorded is not 0: the result is then
// inconclusive.
RuleResult CheckCount(const Rule& rule, const Diff& diff);

}  // namespace gprofx::compare
