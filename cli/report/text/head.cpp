#include <algorithm>
#include <ctime>

#include "cli/report/number.h"
#include "cli/report/quality_text.h"
#include "cli/report/text/gpu.h"
#include "cli/report/text/text.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

constexpr size_t kMaxProblems = 3;
constexpr int64_t kSecond = 1'000'000'000, kDay = 86'400 * kSecond;

std::string Counted(size_t count, const char* one, const char* many) {
  return Grouped(static_cast<int64_t>(count)) + " " + (count == 1 ? one : many);
}

const char* ClockWord(const DataQuality& quality) { return quality.wall_clock ? "wall" : "CPU"; }

// Returns the sampling rate that was reached, such as "@747 Hz (of 997)". The requested rate (of
// -F, or the default) is included if it differs.
std::string RateText(const View& view) {
  const std::optional<double> asked = view.recording.rate_asked_hz;
  // With the wall clock, show the requested rate. Most probes of a thread take no sample, so the
  // reached rate has no meaning.
  const std::optional<double> reached =
      view.quality.wall_clock ? asked : view.recording.rate_reached_hz;
  if (!asked && !reached) return "";
  // Several recordings have no common rate.
  if (!reached && view.recording.recordings > 1) return "";
  const double a = asked.value_or(0), r = reached.value_or(a);
  if (!(r > 0) || r > 1e6) return "";
  std::string text = " @" + std::to_string(static_cast<int>(r + 0.5)) + " Hz";
  if (a > 0 && a <= 1e6 && (r < 0.95 * a || r > 1.05 * a)) {
    text += " (of " + std::to_string(static_cast<int>(a + 0.5));
    const double possible = view.recording.rate_possible_hz.value_or(a);
    if (possible > 0 && possible < 0.95 * a) {
      const std::string most = std::to_string(static_cast<int>(possible + 0.5));
      text += "; without perf events " + most + " at most";
    }
    if (view.recording.rate_was_lowered) text += "; lowered for --overhead";
    text += ")";
  }
  return text;
}

std::string FirstLine(const Page& page) {
  const Recording& run = page.view.recording;
  const std::string program =
      run.program.empty() ? "(unnamed program)" : FitEnd(Printable(run.program), 60);
  std::vector<std::string> parts = {
      Paint(page.around.screen, Ink::kBold, "gprof-x report: " + program)};
  if (run.recordings > 1) {
    parts.push_back(Counted(run.recordings, "", run.are_ranks ? "ranks" : "recordings"));
  }
  if (run.duration_ns > 0) parts.push_back(Duration(run.duration_ns));
  if (!run.flight_rule.empty()) {
    parts.push_back("after " + Duration(run.flight_begin_ns) + " that were not kept, written for " +
                    FitEnd(Printable(run.flight_rule), 60));
  }
  if (run.has_window) {
    parts.push_back("sampled from " + Duration(run.window_begin_ns) + " to " +
                    Duration(run.window_end_ns));
  }
  if (run.paused_ns > 0) parts.push_back("paused for " + Duration(run.paused_ns) + " (--control)");
  parts.push_back(Counted(run.processes - run.brief_processes, "process", "processes") + ", " +
                  Counted(run.threads - run.brief_threads, "thread", "threads"));
  if (run.brief_processes > 0)
    parts.back() += " (and " + Counted(run.brief_processes, "brief process)", "brief processes)");
  const std::vector<std::string> gpu = GpuHeadParts(page);
  parts.insert(parts.end(), gpu.begin(), gpu.begin() + (gpu.empty() ? 0 : 1));
  if (page.view.imported.from.empty()) {
    parts.push_back(Grouped(page.view.quality.samples) + " " + ClockWord(page.view.quality) +
                    " samples" + RateText(page.view));
  } else if (page.view.quality.samples > 0) {
    parts.push_back(Grouped(page.view.quality.samples) + " samples");
  }
  if (gpu.size() > 1) parts.push_back(gpu[1]);
  if (run.kernel_time_excluded) parts.push_back("without kernel time");
  return WrapParts(parts.data(), parts.size(), "  ", page.around.screen.columns, 2) + "\n";
}

// Returns the line about the data of an imported trace. Its losses and its cost of recording are
// unknown.
std::string ImportedLine(const Page& page) {
  const Imported& imported = page.view.imported;
  std::vector<std::string> parts = {"data: imported from " + FitEnd(Printable(imported.from), 100)};
  const auto add = [&parts](const std::string& text) {
    parts.back() += ";";
    parts.push_back(text);
  };
  if (imported.markers > 0)
    add(Counted(static_cast<size_t>(imported.markers), "marker", "markers"));
  if (imported.unlinked > 0) {
    add(Grouped(imported.unlinked) + " GPU operations launched before it began");
  }
  if (imported.guesses > 0) {
    add(Grouped(imported.guesses) + " GPU operations whose launch is guessed");
  }
  if (imported.cut_ns > 0) add("spans cut by " + Duration(imported.cut_ns));
  for (size_t i = 0; i < imported.left_out.size(); ++i) {
    const LeftOut& left = imported.left_out[i];
    const std::string text = Grouped(left.count) + " " + FitEnd(Printable(left.what), 40);
    if (i == 0) {
      add("left out: " + text);
    } else {
      parts.back() += ",";
      parts.push_back(text);
    }
  }
  return Wrapped(page, parts, 6);
}

// Adds the cost of recording to `parts`, as far as it is known: "slowed the program by 3.1% (2.2 to
// 4.4);".
void AddOwnCost(const OwnCostFigures& cost, std::vector<std::string>& parts) {
  const auto percent = [](int64_t ppm) { return Percent(static_cast<double>(ppm), 1e6); };
  const auto bare = [&](int64_t ppm) {
    std::string text = percent(ppm);
    return text.substr(0, text.size() - 1);
  };
  if (cost.state == OwnCostState::kKnown) {
    parts.push_back("slowed the program by " + percent(cost.ppm));
    parts.push_back("(" + bare(cost.low_ppm) + " to " + bare(cost.high_ppm) + ");");
  } else if (cost.state == OwnCostState::kBounded) {
    parts.push_back("slowed the program by at most " + percent(cost.high_ppm) + ";");
  }
}

// Returns the short line about data that have no flaws.
std::string GoodLine(const Page& page) {
  std::vector<std::string> parts = {"data:", Paint(page.around.screen, Ink::kGood, "[good]")};
  AddOwnCost(page.view.quality.own_cost, parts);
  if (parts.back().ends_with(';')) parts.back().pop_back();
  return Wrapped(page, parts, 6);
}

std::string QualityLine(const Page& page) {
  if (!page.view.imported.from.empty()) return ImportedLine(page);
  const DataQuality& q = page.view.quality;
  const std::vector<std::string> flaws = FlawTexts(q, page.view.gpu);
  if (flaws.empty() && q.measured > 0 && !page.verbose) return GoodLine(page);
  const auto of_time = [&](int64_t part) { return ShareOf(part, q.measured); };
  std::vector<std::string> parts;
  if (q.measured > 0) {
    parts.push_back("data: of " + Duration(q.measured) + " " + ClockWord(q) + ": accounted " +
                    of_time(q.accounted) + ",");
    parts.push_back("lost " + of_time(q.lost) + ",");
    if (const std::string rest = of_time(q.unexplained()); rest != "0.0%") {
      parts.push_back("unexplained " + rest + ",");
    }
    parts.push_back("no symbol " + of_time(q.unsymbolized) + ",");
    if (const std::string profiling = of_time(q.profiling); profiling != "0.0%")
      parts.push_back("profiling " + profiling + ",");
    if (q.own_cost.state == OwnCostState::kUnknown) {
      parts.push_back("own overhead " +
                      (q.overhead_known ? of_time(q.overhead) : std::string("not measured")) + ";");
    }
    AddOwnCost(q.own_cost, parts);
  } else {
    parts.push_back("data: no " + std::string(ClockWord(q)) + " time was measured;");
  }
  parts.push_back("of stacks: truncated " + ShareOf(q.truncated, q.samples));
  const Screen& screen = page.around.screen;
  if (flaws.empty()) parts.push_back(Paint(screen, Ink::kGood, "[good]"));
  for (size_t i = 0; i < flaws.size(); ++i) {
    const std::string text =
        (i == 0 ? "[degraded: " : "") + flaws[i] + (i + 1 == flaws.size() ? "]" : ";");
    parts.push_back(Paint(screen, Ink::kBad, text));
  }
  return Wrapped(page, parts, 6);
}

// Returns the line about corrected times: "corrected: host times divided by 1.031 (1.018 to 1.044),
// the measured cost of recording; ...". Returns "" if they are not corrected.
std::string CorrectedLine(const Page& page) {
  const std::optional<HostCorrection>& corrected = page.view.profile.corrected;
  if (!corrected) return "";
  const auto ratio = [](int64_t ppm) { return Format("%.3f", 1 + static_cast<double>(ppm) / 1e6); };
  std::vector<std::string> parts = {
      Paint(page.around.screen, Ink::kBold, "corrected:"),
      "host times and the wall time divided by " + ratio(corrected->ppm),
      "(" + ratio(corrected->low_ppm) + " to " + ratio(corrected->high_ppm) + "),",
      "the measured cost of recording;"};
  if (corrected->left_out_ppm > 0)
    parts.push_back("samples, without those of profiling, by " + ratio(SampledPpm(*corrected)) +
                    ";");
  parts.insert(parts.end(),
               {"GPU times, counts,", "places in time and the line above", "are as measured"});
  return Wrapped(page, parts, 11);
}

std::string AgeNote(const Page& page) {
  const int64_t start = page.view.recording.start_realtime_ns;
  const int64_t now = page.around.now_realtime_ns;
  if (start <= 0 || now <= start || now - start < kDay) return "";
  const time_t seconds = static_cast<time_t>(start / kSecond);
  tm utc = {};
  char date[64] = "";
  if (gmtime_r(&seconds, &utc) != nullptr) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
  const int64_t days = (now - start) / kDay;
  return "note: recorded " + Grouped(days) + (days == 1 ? " day" : " days") + " ago (" + date +
         ")\n";
}

// Returns a note, wrapped at blanks. A word that is longer than a line is cut at its end.
std::string Note(const Page& page, const std::string& what) {
  const std::string text = "note: " + Printable(what);
  if (page.wide) return text + "\n";
  constexpr int kWordsIndent = 6;
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!word.empty()) words.push_back(FitEnd(word, page.around.screen.columns - kWordsIndent));
    begin = end + 1;
  }
  return Wrapped(page, words, kWordsIndent);
}

std::string Notes(const Page& page) {
  const Screen& screen = page.around.screen;
  std::string out;
  if (!page.view.quality.complete) {
    out += Paint(screen, Ink::kWarn,
                 "warning: unfinished recording: the report shows what it stored") +
           "\n";
  }
  if (const int64_t count = page.view.quality.not_sampled; count > 0) {
    out += Note(page, NotSampledLine(count, page.view.quality.not_sampled_text));
  }
  const std::vector<std::string>& problems = page.view.quality.problems;
  for (size_t i = 0; i < problems.size() && i < kMaxProblems; ++i) {
    out += Note(page, problems[i]);
  }
  if (problems.size() > kMaxProblems) {
    out += "note: ... " + Grouped(static_cast<int64_t>(problems.size() - kMaxProblems)) +
           " more notes; --json shows them\n";
  }
  return out + AgeNote(page);
}

std::string FilterLine(const Page& page) {
  const Query& query = page.view.query;
  std::string filters;
  if (!query.focus.empty()) filters += " --focus " + FitEnd(Printable(query.focus), 40);
  if (!query.ignore.empty()) filters += " --ignore " + FitEnd(Printable(query.ignore), 40);
  if (filters.empty()) return "";
  const int64_t kept = page.view.kept;
  return Wrapped(page,
                 {"filter:" + filters,
                  "keeps " + Amount(kept, page.view.metric.unit) + " of " + BaseText(page) + " (" +
                      OfBase(page, kept) + ");",
                  "percentages are of the whole"},
                 8);
}

}  // namespace

std::string HeadText(const Page& page) {
  return FirstLine(page) + VerdictText(page) + QualityLine(page) + CorrectedLine(page) +
         GpuDataLine(page) + PhasesLine(page) + Notes(page) + FilterLine(page) + "\n";
}

}  // namespace gprofx
