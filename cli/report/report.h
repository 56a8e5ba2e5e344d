// gprof-x report: shows a profile as text, as JSON or as a page (html/).
//
// RenderReport() is pure and turns a profile into text. The caller supplies the time, the screen
// and the names of the files. It accepts any Profile that LoadProfile() accepts. RunReport() is the
// command.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"
#include "core/events/finding.h"
#include "core/model/profile.h"
#include "core/views/query.h"
#include "core/views/view.h"
#include "core/wall/timeline_bins.h"

namespace gprofx {

struct ReportOptions {
  Query query;
  bool wide = false;
  bool verbose = false;
  bool json = false;
  bool redact = false;      // replace names that may be the user's own by hashes
  bool corrected = false;   // show host times as they would be without recording
  size_t json_bins = 1000;  // number of bins in timelines and memory plots in JSON
};

struct ReportSurroundings {
  Screen screen;
  std::vector<std::string> files = {"profile.gprofx"};  // at least one
  // The current time; 0 = unknown, and the age of the recording is not shown.
  int64_t now_realtime_ns = 0;
  // Findings stored in the file; a report shows them below the functions.
  std::vector<Finding> findings;
  bool files_are_redacted = false;  // suggested commands must not contain the file names
  // Returns a line of a source file. Returns "" if it is unknown. If this function is not set, all
  // lines are unknown.
  std::function<std::string(std::string_view file, uint32_t line)> source_line;
};

// Returns the report of a profile. If `events` has a timeline, it must have TimelineBinsFor() bins.
Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around, const ViewEvents& events = {});

// Returns the number of bins in a timeline. For text it depends on the width of the screen; for
// JSON it is json_bins.
size_t TimelineBinsFor(const ReportOptions& options, const Screen& screen);
// Returns the number of bins in a memory plot, by the same rule as TimelineBinsFor().
size_t MemoryBinsFor(const ReportOptions& options, const Screen& screen);

std::span<const OptionSpec> ReportOptionSpecs();
std::string ReportHelp(Help which = Help::kAll);

// The parsed command line. Errors of ParseReport() are one line.
struct ReportCommand {
  ReportOptions options;
  std::vector<std::string> files = {"profile.gprofx"};  // at least one
  std::string html;      // output file of the page; "" = print text or JSON
  std::string forecast;  // GPUs for which the page has a forecast
  ColorWhen color = ColorWhen::kAuto;
  Help help = Help::kNone;
  bool interactive = false;
  bool pager = true;  // use a pager if the text is longer than the terminal
};
Result<ReportCommand> ParseReport(const std::vector<std::string>& args);

int RunReport(
    const std::vector<std::string>& args);  // exit status: 0, or 2 with one line on stderr

}  // namespace gprofx
