#include "cli/diff/tables_text.h"

#include <algorithm>
#include <cmath>

#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::Verdict;

constexpr int kWithKind = 100;  // minimum number of columns of a screen that shows the kind

std::string CountsText(const Diff& diff, const DiffOptions& options,
                       const DiffSurroundings& around) {
  std::string text = DiffLines(
      around, {std::string("counts that differ, per ") + UnitWord(diff.unit) + ":" +
                   (diff.counts.empty() ? " none" : ""),
               "(" + Grouped(static_cast<int64_t>(diff.counts_equal)) + " counts are equal,",
               Grouped(static_cast<int64_t>(diff.counts_varying)) + " vary from run to run)"});
  if (diff.counts.empty()) return text + "\n";
  const bool per_step = diff.unit == compare::Unit::kStep;
  Table table({{"base", Align::kRight},
               {"head", Align::kRight},
               {"change", Align::kRight},
               {"what", Align::kLeft, 1, &ShortenKernel}});
  for (size_t i = 0; i < diff.counts.size() && i < options.limit; ++i) {
    const compare::CountChange& change = diff.counts[i];
    const int64_t more = change.head - change.base;
    table.Add({Grouped(change.base), Grouped(change.head), (more > 0 ? "+" : "") + Grouped(more),
               Printable(change.name) + (per_step && !change.per_step ? " (per run)" : "")});
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
  if (!change.suppressed_by.empty()) return "suppressed";
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

std::string PlaceOf(const std::string& file, uint32_t line) {
  return std::string(ShortFile(file)) + ":" + std::to_string(line);
}

constexpr std::string_view kWas = " (was ";

std::string NameOf(const Change& change) {
  const compare::Part& part = change.part;
  std::string name = part.of.empty() ? part.name : part.name + " " + PlaceOf(part.file, part.line);
  if (!change.other.empty()) name += std::string(kWas) + change.other + ")";
  return Printable(name);
}

// Shortens "NAME (was OTHER)" to `columns`. Shortens the two names separately, because a shortener
// would take "(was OTHER)" for parameters. NAME stays as it is if it fits into two thirds of the
// space. Otherwise it gets half of the space, or more if OTHER does not need its half.
template <std::string (*shorten)(std::string_view, int)>
std::string ShortenBoth(std::string_view name, int columns) {
  const size_t was = name.ends_with(')') ? name.rfind(kWas) : std::string_view::npos;
  const int room = columns - static_cast<int>(kWas.size()) - 1;
  constexpr int kMin = 8;  // fewer columns cannot show two names
  if (was == std::string_view::npos) return shorten(name, columns);
  const std::string_view now = name.substr(0, was);
  if (room < kMin) return shorten(now, columns);
  const std::string_view other =
      name.substr(was + kWas.size(), name.size() - was - kWas.size() - 1);
  const int needed = Columns(now);
  const int of_now = needed <= 2 * room / 3 ? needed : std::max(room / 2, room - Columns(other));
  const std::string first = shorten(now, of_now);
  return first + std::string(kWas) + shorten(other, room - Columns(first)) + ")";
}

// Returns the change from the value of the base to that of the head, such as "-25.3%" for 443 ms ->
// 331 ms.
std::string PlainChange(const Outcome& outcome) {
  const bool both = outcome.base > 0 && outcome.head > 0;
  return both ? ChangeText(std::log(outcome.head / outcome.base)) : "";
}

std::string TotalText(const std::string& what, const Outcome& total, compare::Unit unit) {
  std::string text = what + ": " + Duration(Whole(total.base)) + " -> " +
                     Duration(Whole(total.head)) + " per " + UnitWord(unit);
  if (!total.tested) return text;
  return text + ", " + PlainChange(total) + " (" + IntervalText(total) + ") " +
         VerdictWord(total.verdict);
}

// Returns the function with which the names of `changes` are shortened. Names of lines are
// shortened in the middle, because the line number is at their end.
auto ShortenerOf(const std::vector<Change>& changes) {
  if (changes.empty()) return &ShortenBoth<&ShortenName>;
  const compare::Part& first = changes.front().part;
  if (!first.of.empty()) return &ShortenBoth<&FitMiddle>;
  return first.kind == FrameKind::kGpuKernel ? &ShortenBoth<&ShortenKernel>
                                             : &ShortenBoth<&ShortenName>;
}

// Returns a table of `changes`. `global` is the logarithm of the change that all rows have in
// common; 0 = there is none.
std::string ChangesText(std::vector<std::string> title, const std::vector<Change>& changes,
                        double global, const DiffOptions& options, const DiffSurroundings& around) {
  const bool with_kind = options.wide || around.screen.columns >= kWithKind;
  std::vector<Column> columns = {
      {""}, {"base", Align::kRight}, {"head", Align::kRight}, {"change", Align::kRight}};
  if (global != 0) columns.push_back({"own", Align::kRight});
  columns.push_back({"95% interval", Align::kRight});
  columns.push_back({"share", Align::kRight});
  if (with_kind) columns.push_back({"kind"});
  columns.push_back({"name", Align::kLeft, 2, ShortenerOf(changes)});
  Table table(std::move(columns));
  size_t shown = 0, all = 0;
  for (const Change& change : changes) {
    if (!IsOfInterest(change, options)) continue;
    if (++all > options.limit) continue;
    ++shown;
    const Outcome& outcome = change.outcome;
    std::vector<std::string> cells = {Remark(change), Duration(Whole(outcome.base)),
                                      Duration(Whole(outcome.head)), PlainChange(outcome)};
    if (global != 0) cells.push_back(outcome.tested ? ChangeText(outcome.estimate.effect) : "");
    cells.push_back(IntervalText(outcome));
    cells.push_back(Percent(outcome.share, 1));
    if (with_kind) cells.emplace_back(KindWord(change.part.kind, change.part.name));
    cells.push_back(NameOf(change));
    table.Add(std::move(cells));
  }
  std::string text = DiffLines(around, title);
  if (shown > 0) text += table.Render(around.screen, options.wide);
  if (all > shown) {
    text += "... " + Grouped(static_cast<int64_t>(all - shown)) + " more; --limit " +
            std::to_string(all) + " shows them\n";
  }
  return text + "\n";
}

// Returns the note that explains the columns of a table whose rows have a change in common.
std::string GlobalText(double global) {
  return "own = without the change that all rows share, " + ChangeText(global) +
         "; the interval is that of own";
}

// Returns the changed lines of the functions that became slower.
std::vector<Change> Explaining(const Diff& diff) {
  std::vector<Change> lines;
  for (const Change& function : diff.functions) {
    if (function.outcome.verdict != Verdict::kRegression || function.moved) continue;
    for (const Change& line : diff.lines) {
      const bool slower = line.outcome.verdict == Verdict::kRegression;
      if (slower && line.part.of == function.key) lines.push_back(line);
    }
  }
  return lines;
}

std::string IdleText(const compare::SharePoints& idle) {
  const std::string both = Format("GPU idle: %.1f%% -> %.1f%%", 100 * idle.base, 100 * idle.head);
  if (idle.estimate.df <= 0) return both;
  return both + Format(", %+.1f points (%+.1f to %+.1f)", 100 * idle.estimate.effect,
                       100 * idle.interval.low, 100 * idle.interval.high);
}

std::string ClockName(const Diff& diff) {
  if (diff.metric == "wall") return "wall time";
  return diff.metric == "cpu" || diff.metric.empty() ? "CPU time" : diff.metric;
}

}  // namespace

void AddWords(std::string_view text, std::vector<std::string>& words) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string DiffLines(const DiffSurroundings& around, const std::vector<std::string>& parts) {
  return WrapParts(parts.data(), parts.size(), " ", around.screen.columns, 2) + "\n";
}

std::string IntervalText(const Outcome& outcome) {
  if (!outcome.tested) return "";
  return ChangeText(outcome.interval.low) + " to " + ChangeText(outcome.interval.high);
}

std::string DiffTablesText(const Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around) {
  const auto table = [&](std::vector<std::string> title, const std::vector<Change>& changes,
                         double global = 0) {
    return ChangesText(std::move(title), changes, global, options, around);
  };
  const std::string clock = ClockName(diff);
  const auto functions = [&] {
    std::vector<std::string> title = {TotalText(clock, diff.clock_total, diff.unit)};
    if (diff.clock_total.tested && diff.global != 0) {
      title.back() += ";";
      title.push_back(GlobalText(diff.global));
    }
    return table(std::move(title), diff.functions, diff.clock_total.tested ? diff.global : 0);
  };
  const auto kernels = [&] {
    if (diff.kernels.empty()) return std::string("no GPU work was recorded\n");
    std::vector<std::string> title = {TotalText("GPU time", diff.gpu_total, diff.unit)};
    if (diff.gpu_total.tested && diff.gpu_global != 0) {
      title.back() += ";";
      title.push_back(GlobalText(diff.gpu_global));
    }
    return table(std::move(title), diff.kernels, diff.gpu_total.tested ? diff.gpu_global : 0);
  };
  switch (options.tables) {
    case DiffTables::kFunctions:
      return functions();
    case DiffTables::kLines:
      return table({clock + " by line"}, diff.lines);
    case DiffTables::kOperators:
      if (diff.operators.empty()) return "no operators of a framework were recorded\n";
      return table({clock + " by operator"}, diff.operators);
    case DiffTables::kKernels:
      return kernels();
    case DiffTables::kUsual:
      break;
  }
  std::string text = CountsText(diff, options, around);
  if (diff.unit == compare::Unit::kStep) {
    text += DiffLines(around, {TotalText("time", diff.total, diff.unit)});
  }
  if (diff.gpu_idle.base > 0 || diff.gpu_idle.head > 0) {
    text += DiffLines(around, {IdleText(diff.gpu_idle)});
  }
  if (diff.unit == compare::Unit::kStep || diff.gpu_idle.base > 0) text += "\n";
  if (!diff.kernels.empty()) text += kernels();
  text += functions();
  const std::vector<Change> lines = Explaining(diff);
  if (!lines.empty()) text += table({"lines of what is slower"}, lines);
  return text;
}

}  // namespace gprofx
