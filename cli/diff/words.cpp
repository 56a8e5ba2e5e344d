#include "cli/diff/words.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "cli/diff/diff.h"
#include "cli/report/number.h"
#include "core/base/format.h"

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
             " of the head cannot be paired, so the groups are compared";
    case Obstacle::kSameFiles:
      return "a recording is given twice, but a copy is not a repetition";
    case Obstacle::kNotCounted:
      return "GPU work was recorded for only part of the time, or records were lost, so counts are "
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
  switch (unit) {
    case compare::Unit::kStep:
      return "step";
    case compare::Unit::kCall:
      return "call";
    case compare::Unit::kRun:
      break;
  }
  return "run";
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

// Returns a summary of the rules. A rule that applies to many functions counts once, with its worst
// result.
std::string RuledText(const compare::Diff& diff) {
  if (diff.rules.empty()) return "";
  const std::string status = ", exit status " + std::to_string(DiffStatus(diff));
  if (!diff.obstacles.empty()) return "rules: the recordings cannot be compared" + status;
  static constexpr struct {
    std::string_view word;
    const char *one, *many;
  } kWords[] = {{"fails", "fails", "fail"},
                {"unclear", "is unclear", "are unclear"},
                {"suppressed", "is suppressed", "are suppressed"},
                {"holds", "holds", "hold"}};
  std::map<std::string_view, size_t> worst;  // by rule: index in kWords of its worst result
  for (const compare::RuleResult& result : diff.rules) {
    const auto* const found =
        std::find_if(std::begin(kWords), std::end(kWords),
                     [&](const auto& each) { return each.word == RuleWord(result); });
    const auto place = static_cast<size_t>(found - std::begin(kWords));
    const auto [rule, made] = worst.try_emplace(result.rule, place);
    if (!made) rule->second = std::min(rule->second, place);
  }
  std::string text;
  for (size_t place = std::size(kWords); place-- > 0;) {
    const auto count = std::count_if(worst.begin(), worst.end(),
                                     [&](const auto& rule) { return rule.second == place; });
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + Grouped(count) + " " +
            (count == 1 ? kWords[place].one : kWords[place].many);
  }
  return "rules: " + text + status;
}

std::string HeadlineText(const compare::Diff& diff) {
  const std::string ruled = RuledText(diff);
  return VerdictWord(diff.verdict) + (ruled.empty() ? "" : "; " + ruled);
}

double ChangePercent(double logarithm) { return 100 * std::expm1(logarithm); }

std::string ChangeText(double logarithm) {
  const double percent = ChangePercent(logarithm);
  if (!std::isfinite(percent) || percent > 999) return ">+999%";
  return Format("%+.1f%%", percent);
}

std::string RunsText(size_t count) {
  return Grouped(static_cast<int64_t>(count)) + (count == 1 ? " run" : " runs");
}

std::string PowerText(const compare::Diff& diff, const compare::Settings& settings) {
  const auto pairs = static_cast<int>(std::min(diff.base_runs, diff.head_runs));
  if (!diff.total.tested)
    return "one run of each side is not enough to compare times; record five or more";
  std::string text = std::string("the smallest change of ") +
                     (diff.unit == compare::Unit::kStep ? "a step" : "the whole run") +
                     " that these runs can detect is " + ChangeText(diff.total.detectable);
  const double wanted = 2 * settings.least_total_effect;
  const int needed = compare::PairsFor(diff.total, wanted, pairs, settings);
  if (needed > pairs) {
    text +=
        "; " + ChangeText(wanted) + " needs " + RunsText(static_cast<size_t>(needed)) + " of each";
  }
  return text;
}

}  // namespace gprofx
