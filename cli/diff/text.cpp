#include <algorithm>
#include <cmath>

#include "cli/diff/diff.h"
#include "cli/diff/tables_text.h"
#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Unit;
using compare::Verdict;

Ink InkOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return Ink::kBad;
    case Verdict::kInconclusive:
      return Ink::kWarn;
    default:
      return Ink::kGood;
  }
}

// Returns an example of a verdict: the first kernel with this verdict, otherwise the first
// function. Changes that only moved time between rows, and suppressed ones, do not count. Returns
// nullptr if there is none.
const Change* FirstOf(const Diff& diff, Verdict verdict) {
  for (const auto* list : {&diff.kernels, &diff.functions}) {
    for (const Change& change : *list) {
      if (change.outcome.verdict == verdict && !change.moved && change.suppressed_by.empty()) {
        return &change;
      }
    }
  }
  return nullptr;
}

// Returns the text of an obstacle. Its two values are shortened, because they may be the texts of
// whole programs.
std::string ShortText(compare::Obstacle obstacle) {
  constexpr int kColumns = 60;
  for (std::string* value : {&obstacle.base, &obstacle.head}) {
    *value = FitMiddle(Printable(*value), kColumns);
  }
  return Printable(ObstacleText(obstacle));
}

std::string VerdictText(const Diff& diff, const DiffOptions& options,
                        const DiffSurroundings& around) {
  std::vector<std::string> parts = {
      Paint(around.screen, InkOf(diff.verdict), std::string(VerdictWord(diff.verdict)) + ":")};
  if (!diff.obstacles.empty()) {
    AddWords("these recordings cannot be compared;", parts);
    for (const compare::Obstacle& obstacle : diff.obstacles) {
      AddWords(ShortText(obstacle) + ";", parts);
    }
    parts.back().pop_back();
    return DiffLines(around, parts);
  }
  const bool is_change =
      diff.verdict == Verdict::kRegression || diff.verdict == Verdict::kImprovement;
  if (const Change* first = is_change ? FirstOf(diff, diff.verdict) : nullptr) {
    // Give a name at most one line. Its numbers may go to the next line.
    constexpr int kLongestName = 60, kIndent = 2;
    const auto shorten = first->part.kind == FrameKind::kGpuKernel ? &ShortenKernel : &ShortenName;
    parts.push_back(shorten(Printable(first->part.name),
                            std::min(kLongestName, around.screen.columns - kIndent)));
    AddWords(
        ChangeText(first->outcome.estimate.effect) + " (" + IntervalText(first->outcome) + ");",
        parts);
  }
  if (diff.total.tested) {
    parts.push_back((diff.unit == Unit::kStep ? "a step " : "the whole run ") +
                    ChangeText(diff.total.estimate.effect) + " (" + IntervalText(diff.total) +
                    ");");
  }
  if (!diff.counts.empty()) {
    const auto count = static_cast<int64_t>(diff.counts.size());
    parts.push_back(Grouped(count) + (count == 1 ? " count differs;" : " counts differ;"));
  }
  AddWords(PowerText(diff, options.settings), parts);
  return DiffLines(around, parts);
}

// Returns a text with the numbers of steps: "90 to 95 and 118 steps a run, by markers".
std::string StepsText(const compare::StepCounts& steps) {
  const auto range = [](const std::vector<int64_t>& counts) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return Grouped(*least) + (*least == *most ? "" : " to " + Grouped(*most));
  };
  const std::string base = range(steps.base), head = range(steps.head);
  return "per step: " + base + (base == head ? "" : " and " + head) + " steps a run, by " +
         StepSourceName(steps.source);
}

std::string RuledLine(const Diff& diff, const DiffSurroundings& around) {
  std::vector<std::string> words;
  AddWords(RuledText(diff), words);
  return words.empty() ? "" : DiffLines(around, words);
}

std::string DifferencesText(const Diff& diff, const DiffSurroundings& around) {
  std::string text;
  for (const compare::Obstacle& one : diff.differences) {
    std::vector<std::string> words = {"note:"};
    AddWords(ShortText(one), words);
    text += DiffLines(around, words);
  }
  return text;
}

}  // namespace

std::string DiffText(const Diff& diff, const DiffOptions& options, const DiffSurroundings& around) {
  std::vector<std::string> head = {
      Paint(around.screen, Ink::kBold, "gprof-x diff:"),
      RunsText(diff.base_runs) + " against " + RunsText(diff.head_runs)};
  if (diff.paired && diff.base_runs > 1) head.back() += ", in pairs";
  if (diff.unit == Unit::kStep) {
    head.back() += ";";
    head.push_back(StepsText(diff.steps));
  }
  std::string text = DiffLines(around, head);
  text += VerdictText(diff, options, around) + RuledLine(diff, around);
  text += DifferencesText(diff, around) + "\n";
  text += RulesText(diff, around);
  return text + DiffTablesText(diff, options, around);
}

}  // namespace gprofx
