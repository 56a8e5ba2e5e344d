// Checks rules about findings (core/findings): whether each run of the head has a finding that no
// run of the base has.
//
// Two findings are the same if they come from the same rule of core/findings and are at the same
// place. The place is the function and the base name of the file: moved lines and different folders
// do not matter. Several findings of one rule at one place are matched by saving, largest first. If
// the head has one more than the base, the one with the smallest saving therefore counts as new.
//
// The limit applies to the saving of the new finding, as a share of a step or as a time. The rule
// fires if every run of the head has the finding beyond the limit and no run of the base has it. If
// only some runs of the head have it, the result is inconclusive. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

// Sets diff.findings to the findings of the head. It is empty if findings were not read.
void CompareFindings(std::span<const Run> base, std::span<const Run> head, Diff& diff);

// Checks a rule about findings. Returns at least one result.
std::vector<RuleResult> CheckFindings(const Rule& rule, const Diff& diff);

}  // namespace gprofx::compare
