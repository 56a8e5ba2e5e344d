// A rule about findings: whether each run of the head has one that no run of the base has.
//
// A finding is the same where its rule and place are: the function and the last part of its file's
// name, so that moved lines and other folders change nothing. Of several of one rule at one place
// the largest are taken for each other, so one more is new with the smallest saving of them. The
// limit is on what the new one would save, as a part of a step or as a time. It fires where every
// run of the head has it beyond the limit and no run of the base has it at all; where only some of
// the head have it, it cannot be told. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx::compare {

// Fills diff.findings, what the head has; empty where runs were not asked for findings.
void CompareFindings(std::span<const Run> base, std::span<const Run> head, Diff& diff);

// At least one result.
std::vector<RuleResult> CheckFindings(const Rule& rule, const Diff& diff);

}  // namespace gprofx::compare
