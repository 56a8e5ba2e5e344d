// A rule about findings: checks whether each run of the head has a finding that no run of the base
// has.
//
// Findings are the same if their rule and place are the same. The place is the function and the
// base name of the file, so moved lines and different folders do not matter. If there are several
// findings of one rule at one place, they are matched by size, largest first; so one more counts as
// new with the smallest saving of them. The limit applies to what the new finding would save, as a
// share of a step or as a time. The rule fires if every run of the head has the finding beyond the
// limit and no run of the base has it. If only some runs of the head have it, the result is
// inconclusive. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

// Fills diff.findings with the findings of the head; empty if findings were not read.
void CompareFindings(std::span<const Run> base, std::span<const Run> head, Diff& diff);

// Returns at least one result.
std::vector<RuleResult> CheckFindings(const Rule& rule, const Diff& diff);

}  // namespace gprofx::compare
