// Converts the codes and numbers of a comparison to words, which are the same in text and JSON.
// Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/arithmetic.h"
#include "core/compare/diff.h"

namespace gprofx {

const char* VerdictWord(compare::Verdict verdict);

const char* FateWord(compare::Change::Fate fate);  // "new", "gone", "renamed", "inlined", "there"

const char* UnitWord(compare::Unit unit);  // "step" or "run"

// Returns the result of a rule as a word: "fails", "unclear", "holds" or "suppressed".
const char* RuleWord(const compare::RuleResult& result);

// Returns a summary of the rules: "rules: 2 hold, 1 fails, exit status 1". Returns "" without
// rules.
std::string RuledText(const compare::Diff& diff);
// Returns the verdict of the data and the summary of the rules. It is the same in every format.
std::string HeadlineText(const compare::Diff& diff);

// Returns a sentence that says why runs cannot be compared, such as "GPUs are A in the base and B
// in the head". Not escaped.
std::string ObstacleText(const compare::Obstacle& obstacle);

// Formats the logarithm of a ratio as a percentage: "+10.3%".
std::string ChangeText(double logarithm);
double ChangePercent(double logarithm);

// Rounds a number. One that is too large becomes the nearest limit, and NaN becomes 0.
inline int64_t Whole(double number) {
  constexpr auto kMost = static_cast<double>(kMaxMagnitude);
  return std::isnan(number) ? 0 : std::llround(std::clamp(number, -kMost, kMost));
}

std::string RunsText(size_t count);  // such as "1 run" or "12 runs"

// Returns a text that says how large a change this comparison could detect, and how many runs would
// detect a smaller one.
std::string PowerText(const compare::Diff& diff, const compare::Settings& settings);

}  // namespace gprofx
