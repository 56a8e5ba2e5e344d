#include "cli/diff/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/report/number.h"

namespace gprofx {

using compare::Obstacle;
using compare::Verdict;

const char* VerdictWord(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return "regression";
    case Verdict::kImprovement:
      return "improvement";
    case Verdict::kEquivalent:
      return "equivalent";
    case Verdict::kInconclusive:
      break;
  }
  return "inconclusive";
}

const char* FateWord(compare::Change::Fate fate) {
  switch (fate) {
    case compare::Change::kNew:
      return "new";
    case compare::Change::kGone:
      return "gone";
    case compare::Change::kRenamed:
      return "renamed";
    case compare::Change::kInlined:
      return "inlined";
    case compare::Change::kThere:
      break;
  }
  return "there";
}

std::string ObstacleText(const Obstacle& obstacle) {
  const bool in_head = obstacle.base.empty();
  const std::string& value = in_head ? obstacle.head : obstacle.base;
  const std::string side = in_head ? "head" : "base";
  switch (obstacle.kind) {
    case Obstacle::kIncomplete:
      return value + " unfinished recordings in the " + side;
    case Obstacle::kLost:
      return value + " of the time of a run is not accounted for in the " + side;
    case Obstacle::kNoSteps:
      return "times are per run: " + obstacle.what;
    case Obstacle::kUnpaired:
      return obstacle.base + " runs of the base and " + obstacle.head +
             " of the head are no pairs: the groups are compared";
    case Obstacle::kSameFiles:
      return "a recording is there twice, which is no repetition of it";
    case Obstacle::kNotCounted:
      return "GPU work was recorded for a part of the time, or records were lost: what was done is "
             "not compared";
    case Obstacle::kMachine:
    case Obstacle::kWorkload:
    case Obstacle::kUnknownFact:
      return obstacle.what + ": " + obstacle.base + " in the base, " + obstacle.head +
             " in the head";
  }
  return obstacle.what;
}

const char* UnitWord(compare::Unit unit) {
  return unit == compare::Unit::kStep ? "step" : "run";
}

const char* RuleWord(const compare::RuleResult& result) {
  if (!result.suppressed_by.empty()) return "suppressed";
  switch (result.verdict) {
    case Verdict::kRegression:
      return "fails";
    case Verdict::kInconclusive:
      return "unclear";
    default:
      return "holds";
  }
}

double ChangePercent(double logarithm) { return 100 * std::expm1(logarithm); }

std::string ChangeText(double logarithm) {
  const double percent = ChangePercent(logarithm);
  if (!std::isfinite(percent) || percent > 999) return ">+999%";
  char text[32];
  snprintf(text, sizeof text, "%+.1f%%", percent);
  return text;
}

std::string RunsText(size_t count) {
  return Grouped(static_cast<int64_t>(count)) + (count == 1 ? " run" : " runs");
}

std::string PowerText(const compare::Diff& diff, const compare::Settings& settings) {
  const auto pairs = static_cast<int>(std::min(diff.base_runs, diff.head_runs));
  if (!diff.total.tested) return "one run of each shows no times; record five or more of each";
  std::string text = std::string("the smallest change of ") +
                     (diff.unit == compare::Unit::kStep ? "a step" : "the whole") +
                     " that these runs would show is " + ChangeText(diff.total.detectable);
  const double wanted = 2 * settings.least_total_effect;
  const int needed = compare::PairsFor(diff.total, wanted, pairs, settings);
  if (needed > pairs) {
    text += "; " + ChangeText(wanted) + " would take " + RunsText(static_cast<size_t>(needed)) +
            " of each";
  }
  return text;
}

}  // namespace gprofx
