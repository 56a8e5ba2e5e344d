// Codes and numbers of a comparison in words, the same in text and JSON. Pure.
#pragma once

#include <string>

#include "core/compare/diff.h"

namespace gprofx {

const char* VerdictWord(compare::Verdict verdict);

const char* FateWord(compare::Change::Fate fate);  // "new", "gone", "renamed", "inlined", "there"

const char* UnitWord(compare::Unit unit);  // "step", "run"

// "fails", "unclear", "holds", "suppressed"
const char* RuleWord(const compare::RuleResult& result);

// What the rules make of it: "rules: 2 hold, 1 fails, exit status 1"; "" without rules.
std::string RuledText(const compare::Diff& diff);
// The verdict of the data, and what the rules make of it: the same in every format.
std::string HeadlineText(const compare::Diff& diff);

// "GPUs are A in the base and B in the head". Not escaped.
std::string ObstacleText(const compare::Obstacle& obstacle);

// A logarithm of a ratio as a percentage: "+10.3%".
std::string ChangeText(double logarithm);
double ChangePercent(double logarithm);

std::string RunsText(size_t count);  // "1 run", "12 runs"

// What would have been seen, and what it would take to see less.
std::string PowerText(const compare::Diff& diff, const compare::Settings& settings);

}  // namespace gprofx
