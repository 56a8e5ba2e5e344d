#include <algorithm>
#include <cmath>

#include "cli/ci/history_text.h"
#include "cli/ci/per_test/faces.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/words.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr BenchmarkVerdict kAll[] = {BenchmarkVerdict::kSlower, BenchmarkVerdict::kFailed,
                                     BenchmarkVerdict::kFaster, BenchmarkVerdict::kUnknown,
                                     BenchmarkVerdict::kSame,   BenchmarkVerdict::kSkipped};

size_t BenchmarksWith(const PerTestResult& result, BenchmarkVerdict verdict) {
  return static_cast<size_t>(
      std::count_if(result.benchmarks.begin(), result.benchmarks.end(),
                    [&](const BenchmarkResult& one) { return one.verdict == verdict; }));
}

Ink InkOf(BenchmarkVerdict verdict) {
  if (verdict == BenchmarkVerdict::kSlower || verdict == BenchmarkVerdict::kFailed)
    return Ink::kBad;
  return verdict == BenchmarkVerdict::kFaster ? Ink::kGood : Ink::kBold;
}

std::string Line(const std::string& text, const Screen& screen, int indent = 2) {
  return WrapWords(text, screen.columns, indent) + "\n";
}

std::string OneSideText(const char* side, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  constexpr size_t kShown = 3;
  std::string text = "only in the " + std::string(side) + ": ";
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + FitMiddle(Printable(names[i]), 60);
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string TableText(const PerTestResult& result, const Screen& screen, bool wide) {
  Table table({{"result"},
               {"change", Align::kRight},
               {"95% interval", Align::kRight},
               {"base", Align::kRight},
               {"head", Align::kRight},
               {"rounds", Align::kRight},
               {"benchmark", Align::kLeft, 1, &FitMiddle}});
  for (const BenchmarkResult* one : BySeverity(result)) {
    const bool times = HasTimes(*one);
    table.Add({VerdictText(one->verdict), times ? ChangeText(one->estimate.effect) : "",
               IntervalText(*one), times ? ShortTimeText(one->base_ns) : "",
               times ? ShortTimeText(one->head_ns) : "", std::to_string(one->rounds),
               Printable(one->name)});
  }
  return table.Render(screen, wide);
}

// Returns a text that says why a benchmark changed, or why it has no verdict.
std::string WhyText(const BenchmarkResult& one, const Screen& screen) {
  const std::vector<std::string> reasons = ReasonsOf(one);
  if (reasons.empty() && one.note.empty()) return "";
  std::string text = "\n" + Paint(screen, InkOf(one.verdict), VerdictText(one.verdict)) + " " +
                     FitMiddle(Printable(one.name), std::max(screen.columns - 20, 20)) + "\n";
  if (!one.note.empty()) text += Line("  " + FitEnd(Printable(one.note), 300), screen, 4);
  for (const std::string& reason : reasons) text += Line("  " + reason, screen, 4);
  return text;
}

std::string PlaceText(const Blamed& blamed) {
  const std::string& file = blamed.file.empty() ? blamed.seen_file : blamed.file;
  const uint32_t line = blamed.file.empty() ? blamed.seen_line : blamed.line;
  if (file.empty()) return "";
  return " (" + FitStart(Printable(ShortFile(file)), 60) +
         (line > 0 ? ":" + std::to_string(line) : "") + ")";
}

}  // namespace

std::string BenchmarksText(const PerTestResult& result) {
  const size_t count = result.benchmarks.size();
  return std::to_string(count) + (count == 1 ? " benchmark of " : " benchmarks of ") +
         result.harness;
}

std::vector<const BenchmarkResult*> BySeverity(const PerTestResult& result) {
  std::vector<const BenchmarkResult*> sorted;
  for (const BenchmarkVerdict verdict : kAll) {
    for (const BenchmarkResult& one : result.benchmarks) {
      if (one.verdict == verdict) sorted.push_back(&one);
    }
  }
  return sorted;
}

std::vector<std::string> JobNotes(const PerTestResult& result) {
  std::vector<std::string> notes;
  for (const std::string& line :
       {OneSideText("base", result.only_base), OneSideText("head", result.only_head)}) {
    if (!line.empty()) notes.push_back(line);
  }
  if (result.time_spent) {
    notes.push_back("--time-limit ended the job before every benchmark was decided");
  }
  return notes;
}

const char* VerdictText(BenchmarkVerdict verdict) {
  switch (verdict) {
    case BenchmarkVerdict::kSlower:
      return "slower";
    case BenchmarkVerdict::kFaster:
      return "faster";
    case BenchmarkVerdict::kSame:
      return "same";
    case BenchmarkVerdict::kFailed:
      return "failed";
    case BenchmarkVerdict::kSkipped:
      return "skipped";
    case BenchmarkVerdict::kUnknown:
      break;
  }
  return "cannot tell";
}

bool HasTimes(const BenchmarkResult& one) {
  return one.rounds > 0 && one.base_ns > 0 && one.head_ns > 0;
}

std::string IntervalText(const BenchmarkResult& one) {
  if (!HasTimes(one) || one.estimate.df <= 0) return "";
  return ChangeText(one.interval.low) + " to " + ChangeText(one.interval.high);
}

std::string PerTestHeadline(const PerTestResult& result) {
  std::string text;
  for (const BenchmarkVerdict verdict : kAll) {
    const size_t count = BenchmarksWith(result, verdict);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            (verdict == BenchmarkVerdict::kUnknown ? "undecided" : VerdictText(verdict));
  }
  return text;
}

std::vector<std::string> ReasonsOf(const BenchmarkResult& one) {
  constexpr size_t kMaxCounts = 5;
  std::vector<std::string> reasons;
  for (const ChangedCount& count : one.counts) {
    if (reasons.size() == kMaxCounts) break;
    reasons.push_back(ShortCountName(count.name) + ": " + Grouped(count.base) + " -> " +
                      Grouped(count.head) + " in each " + count.per);
  }
  for (const Blamed& blamed : one.blamed) {
    const double more = blamed.head_ns - blamed.base_ns;
    reasons.push_back(ShortPart(blamed.name, 60) + PlaceText(blamed) + " takes " +
                      ShortTimeText(std::fabs(more)) + (more > 0 ? " more" : " less") +
                      " per call: " + ShortTimeText(blamed.base_ns) + " -> " +
                      ShortTimeText(blamed.head_ns));
  }
  return reasons;
}

int PerTestStatus(const PerTestResult& result, bool ignore_failures) {
  if (BenchmarksWith(result, BenchmarkVerdict::kFailed) > 0 && !ignore_failures) return 2;
  if (BenchmarksWith(result, BenchmarkVerdict::kSlower) > 0) return 1;
  const size_t told = BenchmarksWith(result, BenchmarkVerdict::kSame) +
                      BenchmarksWith(result, BenchmarkVerdict::kFaster);
  return told > 0 ? 0 : 3;
}

std::string PerTestText(const CiRun& run, const PerTestResult& result, const Screen& screen) {
  std::string text = Line(Paint(screen, Ink::kBold, "gprof-x ci:") + " " + BenchmarksText(result) +
                              ": " + PerTestHeadline(result),
                          screen);
  text +=
      Line("base and head ran in turns, " + Duration(static_cast<int64_t>(result.seconds * 1e9)) +
               "; profiles are in " + Printable(run.output) + "/tests",
           screen);
  for (const std::string& note : JobNotes(result)) text += Line(note, screen);
  text += "\n" + TableText(result, screen, run.diff.options.wide);
  for (const BenchmarkResult* one : BySeverity(result)) text += WhyText(*one, screen);
  return text;
}

}  // namespace gprofx
