#include <cmath>

#include "cli/diff/diff.h"
#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/views/names.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::Verdict;

int64_t Whole(double number) { return static_cast<int64_t>(std::llround(number)); }

std::string Lines(const DiffSurroundings& around, const std::vector<std::string>& parts) {
  return WrapParts(parts.data(), parts.size(), " ", around.screen.columns, 2) + "\n";
}

std::string Runs(size_t count) {
  return Grouped(static_cast<int64_t>(count)) + (count == 1 ? " run" : " runs");
}

std::string IntervalText(const Outcome& outcome) {
  if (!outcome.tested) return "";
  return ChangeText(outcome.interval.low) + " to " + ChangeText(outcome.interval.high);
}

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

// The change that stands for the verdict: the first row of its kind.
const Change* FirstOf(const Diff& diff, Verdict verdict) {
  for (const auto* list : {&diff.kernels, &diff.functions}) {
    for (const Change& change : *list) {
      if (change.outcome.verdict == verdict && !change.moved) return &change;
    }
  }
  return nullptr;
}

// What would have been seen, and what it would take to see less.
std::string PowerText(const Diff& diff, const DiffOptions& options) {
  const auto pairs = static_cast<int>(std::min(diff.base_runs, diff.head_runs));
  if (!diff.total.tested) return "one run of each shows no times; record five or more of each";
  std::string text = "the smallest change of the whole that these runs would show is " +
                     ChangeText(diff.total.detectable);
  const double wanted = 2 * options.settings.least_total_effect;
  const int needed = compare::PairsFor(diff.total, wanted, pairs, options.settings);
  if (needed > pairs) {
    text +=
        "; " + ChangeText(wanted) + " would take " + Runs(static_cast<size_t>(needed)) + " of each";
  }
  return text;
}

std::string VerdictText(const Diff& diff, const DiffOptions& options,
                        const DiffSurroundings& around) {
  std::vector<std::string> parts = {
      Paint(around.screen, InkOf(diff.verdict), std::string(VerdictWord(diff.verdict)) + ":")};
  if (!diff.obstacles.empty()) {
    parts.push_back("these recordings cannot be compared;");
    for (const compare::Obstacle& obstacle : diff.obstacles) {
      parts.push_back(Printable(ObstacleText(obstacle)) + ";");
    }
    parts.back().pop_back();
    return Lines(around, parts);
  }
  const bool is_change =
      diff.verdict == Verdict::kRegression || diff.verdict == Verdict::kImprovement;
  if (const Change* first = is_change ? FirstOf(diff, diff.verdict) : nullptr) {
    parts.push_back(FitEnd(Printable(first->part.name), 60) + " " +
                    ChangeText(first->outcome.estimate.effect) + " (" +
                    IntervalText(first->outcome) + ");");
  }
  if (diff.total.tested) {
    parts.push_back("the whole " + ChangeText(diff.total.estimate.effect) + " (" +
                    IntervalText(diff.total) + ");");
  }
  parts.push_back(PowerText(diff, options));
  return Lines(around, parts);
}

std::string DifferencesText(const Diff& diff, const DiffSurroundings& around) {
  std::string text;
  for (const compare::Obstacle& one : diff.differences) {
    text += Lines(around, {"note:", Printable(ObstacleText(one))});
  }
  return text;
}

std::string CountsText(const Diff& diff, const DiffOptions& options,
                       const DiffSurroundings& around) {
  std::string text = Lines(
      around, {std::string("what was done differently, per run:") +
                   (diff.counts.empty() ? " nothing" : ""),
               "(" + Grouped(static_cast<int64_t>(diff.counts_equal)) + " counts are equal,",
               Grouped(static_cast<int64_t>(diff.counts_varying)) + " vary from run to run)"});
  if (diff.counts.empty()) return text + "\n";
  Table table({{"base", Align::kRight},
               {"head", Align::kRight},
               {"change", Align::kRight},
               {"what", Align::kLeft, 1, &ShortenKernel}});
  for (size_t i = 0; i < diff.counts.size() && i < options.limit; ++i) {
    const compare::CountChange& change = diff.counts[i];
    const int64_t more = change.head - change.base;
    table.Add({Grouped(change.base), Grouped(change.head), (more > 0 ? "+" : "") + Grouped(more),
               Printable(change.name)});
  }
  text += table.Render(around.screen, options.wide);
  if (diff.counts.size() > options.limit) {
    text += "... " + Grouped(static_cast<int64_t>(diff.counts.size() - options.limit)) +
            " more; --limit " + std::to_string(diff.counts.size()) + " shows them\n";
  }
  return text + "\n";
}

std::string Remark(const Change& change) {
  if (change.fate != Change::kThere) return FateWord(change.fate);
  if (change.moved) return "moved";
  if (!change.outcome.tested) return "";
  switch (change.outcome.verdict) {
    case Verdict::kRegression:
      return "slower";
    case Verdict::kImprovement:
      return "faster";
    case Verdict::kEquivalent:
      return "equal";
    case Verdict::kInconclusive:
      break;
  }
  return "unclear";
}

bool IsOfInterest(const Change& change, const DiffOptions& options) {
  return change.outcome.share >= options.settings.least_share;
}

std::string ChangesText(const char* what, const Outcome& total, double global,
                        const std::vector<Change>& changes, const DiffOptions& options,
                        const DiffSurroundings& around) {
  std::vector<std::string> title = {std::string(what) + ": " + Duration(Whole(total.base)) +
                                    " -> " + Duration(Whole(total.head)) + " per run"};
  if (total.tested) {
    title.back() += ", " + ChangeText(total.estimate.effect) + " (" + IntervalText(total) + ") " +
                    VerdictWord(total.verdict) + ";";
    title.push_back("taken off each row, as it changed everywhere: " + ChangeText(global));
  }
  Table table({{""},
               {"change", Align::kRight},
               {"95% interval", Align::kRight},
               {"base", Align::kRight},
               {"head", Align::kRight},
               {"share", Align::kRight},
               {"kind"},
               {"name", Align::kLeft, 2, &ShortenName}});
  size_t shown = 0, all = 0;
  for (const Change& change : changes) {
    if (!IsOfInterest(change, options)) continue;
    if (++all > options.limit) continue;
    ++shown;
    const Outcome& outcome = change.outcome;
    const std::string ratio = outcome.base > 0 && outcome.head > 0
                                  ? ChangeText(std::log(outcome.head / outcome.base))
                                  : "";
    table.Add({Remark(change), outcome.tested ? ChangeText(outcome.estimate.effect) : ratio,
               IntervalText(outcome), Duration(Whole(outcome.base)), Duration(Whole(outcome.head)),
               Percent(outcome.share, 1), std::string(KindWord(change.part.kind, change.part.name)),
               Printable(change.part.name) +
                   (change.other.empty() ? "" : " (was " + Printable(change.other) + ")")});
  }
  std::string text = Lines(around, title);
  if (shown > 0) text += table.Render(around.screen, options.wide);
  if (all > shown) {
    text += "... " + Grouped(static_cast<int64_t>(all - shown)) + " more; --limit " +
            std::to_string(all) + " shows them\n";
  }
  return text + "\n";
}

}  // namespace

std::string DiffText(const Diff& diff, const DiffOptions& options, const DiffSurroundings& around) {
  std::string text = Lines(around, {Paint(around.screen, Ink::kBold, "gprof-x diff:"),
                                    Runs(diff.base_runs) + " against " + Runs(diff.head_runs) +
                                        (diff.paired && diff.base_runs > 1 ? ", in pairs" : "")});
  text += VerdictText(diff, options, around) + DifferencesText(diff, around) + "\n";
  text += CountsText(diff, options, around);
  if (!diff.kernels.empty()) {
    text += ChangesText("GPU time", diff.gpu_total, diff.gpu_global, diff.kernels, options, around);
  }
  const char* clock = diff.metric == "wall" ? "wall time" : "CPU time";
  text += ChangesText(clock, diff.total, diff.global, diff.functions, options, around);
  return text;
}

}  // namespace gprofx
