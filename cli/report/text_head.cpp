#include <ctime>

#include "cli/report/gpu_text.h"
#include "cli/report/names.h"
#include "cli/report/number.h"
#include "cli/report/text.h"
#include "cli/terminal/text.h"
#include "core/processes.h"

namespace gprofx {
namespace {

constexpr size_t kMostProblems = 3;
constexpr int64_t kSecond = 1'000'000'000, kDay = 86'400 * kSecond;

int64_t MetaNumber(const Profile& profile, const char* name) {
  return strtoll(std::string(MetaText(profile, name)).c_str(), nullptr, 10);
}

std::string Counted(size_t count, const char* one, const char* many) {
  return Grouped(static_cast<int64_t>(count)) + " " + (count == 1 ? one : many);
}

std::string ProgramName(const Profile& profile) {
  // The command may have gone through several programs by exec (an interpreter's shim): the last
  // one counts.
  std::string_view name;
  for (const Process& process : profile.processes) {
    if (process.pid == profile.processes[0].pid) name = profile.Text(process.name);
  }
  if (name.empty()) name = MetaText(profile, "command");
  return name.empty() ? "(unnamed program)" : FitEnd(Printable(name), 60);
}

// "@997 Hz", with what was asked for when that is something else.
std::string RateText(const Profile& profile) {
  const std::string_view asked = MetaText(profile, "rate_asked_hz");
  const bool wall = MetaText(profile, "clock") == "wall";  // most visits take no sample
  const std::string_view reached = wall ? asked : MetaText(profile, "rate_reached_hz");
  if (asked.empty() && reached.empty()) return "";
  const double a = strtod(std::string(asked).c_str(), nullptr);
  const double r = reached.empty() ? a : strtod(std::string(reached).c_str(), nullptr);
  if (!(r > 0) || r > 1e6) return "";
  std::string text = " @" + std::to_string(static_cast<int>(r + 0.5)) + " Hz";
  if (a > 0 && a <= 1e6 && (r < 0.95 * a || r > 1.05 * a)) {
    text += " (asked " + std::to_string(static_cast<int>(a + 0.5)) + ")";
  }
  return text;
}

// With --delay and --duration only a part of the run was sampled.
std::string WindowText(const Profile& profile) {
  if (MetaText(profile, "window_begin_ns").empty()) return "";
  const int64_t begin = MetaNumber(profile, "window_begin_ns");
  const int64_t end = MetaNumber(profile, "window_end_ns");
  return "sampled from " + Duration(begin) + " to " + Duration(end);
}

std::string FirstLine(const Analysis& analysis) {
  const Profile& profile = analysis.profile;
  std::vector<std::string> parts = {
      Paint(analysis.around.screen, Ink::kBold, "gprof-x report: " + ProgramName(profile))};
  if (const int64_t duration = MetaNumber(profile, "duration_ns"); duration > 0) {
    parts.push_back(Duration(duration));
  }
  if (const std::string window = WindowText(profile); !window.empty()) parts.push_back(window);
  parts.push_back(Counted(CountProcesses(profile), "process", "processes") + ", " +
                  Counted(profile.threads.size(), "thread", "threads"));
  const std::vector<std::string> gpu = GpuHeadParts(analysis);
  parts.insert(parts.end(), gpu.begin(), gpu.begin() + (gpu.empty() ? 0 : 1));
  parts.push_back(Grouped(analysis.quality.samples) + " " + analysis.quality.clock + " samples" +
                  RateText(profile));
  if (gpu.size() > 1) parts.push_back(gpu[1]);
  if (MetaText(profile, "kernel_time") == "excluded") parts.push_back("without kernel time");
  return WrapParts(parts.data(), parts.size(), "  ", analysis.around.screen.columns, 2);
}

std::string QualityLine(const Analysis& analysis) {
  const DataQuality& q = analysis.quality;
  const auto of_time = [&](int64_t part) {
    return Percent(static_cast<double>(part), static_cast<double>(q.measured));
  };
  std::vector<std::string> parts;
  if (q.measured > 0) {
    parts.push_back("data: of " + Duration(q.measured) + " " + q.clock + ": accounted " +
                    of_time(q.accounted) + ",");
    parts.push_back("lost " + of_time(q.lost) + ",");
    if (const std::string rest = of_time(q.unexplained()); rest != "0.0%") {
      parts.push_back("unexplained " + rest + ",");
    }
    parts.push_back("no symbol " + of_time(q.unsymbolized) + ",");
    parts.push_back("own overhead " +
                    (q.overhead_known ? of_time(q.overhead) : std::string("not measured")) + ";");
  } else {
    parts.push_back("data: no " + q.clock + " time was measured;");
  }
  parts.push_back("of stacks: truncated " +
                  Percent(static_cast<double>(q.truncated), static_cast<double>(q.samples)));
  const Screen& screen = analysis.around.screen;
  if (q.reasons.empty()) parts.push_back(Paint(screen, Ink::kGood, "[good]"));
  for (size_t i = 0; i < q.reasons.size(); ++i) {
    const std::string text =
        (i == 0 ? "[degraded: " : "") + q.reasons[i] + (i + 1 == q.reasons.size() ? "]" : ";");
    parts.push_back(Paint(screen, Ink::kBad, text));
  }
  return WrapParts(parts.data(), parts.size(), " ", screen.columns, 6);
}

std::string AgeNote(const Analysis& analysis) {
  const int64_t start = MetaNumber(analysis.profile, "start_realtime_ns");
  const int64_t now = analysis.around.now_realtime_ns;
  if (start <= 0 || now <= start || now - start < kDay) return "";
  const time_t seconds = static_cast<time_t>(start / kSecond);
  tm utc = {};
  char date[64] = "";
  if (gmtime_r(&seconds, &utc) != nullptr) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
  const int64_t days = (now - start) / kDay;
  return "note: recorded " + Grouped(days) + (days == 1 ? " day" : " days") + " ago (" + date +
         ")\n";
}

std::string Notes(const Analysis& analysis) {
  const Screen& screen = analysis.around.screen;
  const bool wide = analysis.options.wide;
  std::string out;
  if (!analysis.quality.complete) {
    out += Paint(screen, Ink::kWarn,
                 "warning: unfinished recording: shown is what was stored until it stopped") +
           "\n";
  }
  if (const int64_t count = analysis.quality.not_sampled; count > 0) {
    const std::string text =
        "note: " + Printable(NotSampledLine(count, analysis.quality.not_sampled_text));
    out += (wide ? text : FitEnd(text, screen.columns)) + "\n";
  }
  const std::vector<std::string>& problems = analysis.quality.problems;
  for (size_t i = 0; i < problems.size() && i < kMostProblems; ++i) {
    const std::string text = "note: " + Printable(problems[i]);
    out += (wide ? text : FitEnd(text, screen.columns)) + "\n";
  }
  if (problems.size() > kMostProblems) {
    out += "note: ... " + Grouped(static_cast<int64_t>(problems.size() - kMostProblems)) +
           " more notes; --json shows them\n";
  }
  return out + AgeNote(analysis);
}

std::string FilterLine(const Analysis& analysis) {
  const ReportOptions& options = analysis.options;
  std::string filters;
  if (!options.focus.empty()) filters += " --focus " + FitEnd(Printable(options.focus), 40);
  if (!options.ignore.empty()) filters += " --ignore " + FitEnd(Printable(options.ignore), 40);
  if (filters.empty()) return "";
  const int64_t kept = analysis.tree.nodes[0].total;
  std::vector<std::string> parts = {"filter:" + filters,
                                    "keeps " + Amount(kept, analysis.metric.unit) + " of " +
                                        BaseText(analysis) + " (" + OfBase(analysis, kept) + ");",
                                    "percentages stay of the whole"};
  return WrapParts(parts.data(), parts.size(), " ", analysis.around.screen.columns, 8) + "\n";
}

}  // namespace

std::string HeadText(const Analysis& analysis) {
  return FirstLine(analysis) + "\n" + QualityLine(analysis) + "\n" + GpuDataLine(analysis) +
         Notes(analysis) + FilterLine(analysis) + "\n";
}

std::string OfBase(const Analysis& analysis, int64_t value) {
  return Percent(static_cast<double>(value), static_cast<double>(analysis.base));
}

std::string BaseText(const Analysis& analysis) {
  return Amount(analysis.base, analysis.metric.unit) + " " + WholeName(analysis.metric);
}

std::string ShareTitle(const Analysis& analysis) {
  if (analysis.metric.name == "cpu") return "%CPU";
  if (analysis.metric.name == kMetricGpu) return "%GPU";
  if (analysis.metric.name == kMetricGpuWait) return "%wait";
  if (analysis.metric.name == kMetricPcSamples) return "%PC";
  if (analysis.metric.name == kMetricGpuOps) return "%ops";
  const std::string stall = kMetricStallPrefix;
  if (analysis.metric.name.rfind(stall, 0) == 0) {
    return "%" + FitEnd(Printable(analysis.metric.name.substr(stall.size())), 9);
  }
  return "%" + FitEnd(Printable(analysis.metric.name), 9);
}

std::string ShellQuoted(std::string_view text) {
  if (text.empty() || text.size() > 200 || Printable(text) != text) return "";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string CommandText(const Analysis& analysis, const std::string& arguments) {
  const std::string& file = analysis.around.file;
  if (file == "profile.gprofx") return "gprof-x report " + arguments;
  const std::string quoted = ShellQuoted(file.rfind('-', 0) == 0 ? "./" + file : file);
  return quoted.empty() ? "" : "gprof-x report " + quoted + " " + arguments;
}

std::string HintLines(const std::vector<std::string>& commands) {
  std::string out;
  for (const std::string& command : commands) {
    if (!command.empty()) out += (out.empty() ? "Next: " : "      ") + command + "\n";
  }
  return out;
}

std::string AnnotateCommand(const Analysis& analysis, const std::string& name) {
  const std::string& file = analysis.around.file;
  if (file == "profile.gprofx") return "gprof-x annotate " + name;
  const std::string quoted = ShellQuoted(file.rfind('-', 0) == 0 ? "./" + file : file);
  return quoted.empty() ? "" : "gprof-x annotate " + name + " " + quoted;
}

}  // namespace gprofx
