#include "cli/diff/words.h"

#include <cmath>
#include <cstdio>

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
      return "a recording is on both sides";
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

}  // namespace gprofx
