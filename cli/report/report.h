// gprof-x report: shows a profile as text, JSON or a page (html/).
//
// RenderReport is pure: profile and options in, text out; the clock, the screen and the file names
// are passed in. It accepts any Profile that LoadProfile accepts. RunReport is the command around
// it.
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
  bool redact = false;      // hash names that could be the user's own
  bool corrected = false;   // host times as they would be without recording
  size_t json_bins = 1000;  // bins of timelines and memory plots in JSON
};

struct ReportSurroundings {
  Screen screen;
  std::vector<std::string> files = {"profile.gprofx"};  // at least one
  int64_t now_realtime_ns = 0;      // 0 = unknown: the age of the recording is not shown
  std::vector<Finding> findings;    // stored in the file; shown below the functions
  bool files_are_redacted = false;  // file names are not usable in commands
  // Returns the text of a line of a file; "" if it is unknown. Unset = unknown.
  std::function<std::string(std::string_view file, uint32_t line)> source_line;
};

// The timeline in `events` must have as many bins as TimelineBinsFor() returns.
Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around, const ViewEvents& events = {});

// Returns the number of timeline bins that fit the screen, or that JSON has.
size_t TimelineBinsFor(const ReportOptions& options, const Screen& screen);
// Like TimelineBinsFor, for memory plots.
size_t MemoryBinsFor(const ReportOptions& options, const Screen& screen);

std::span<const OptionSpec> ReportOptionSpecs();
std::string ReportHelp(Help which = Help::kAll);

// The operands and options, as ParseReport returns them. Its errors are one line.
struct ReportCommand {
  ReportOptions options;
  std::vector<std::string> files = {"profile.gprofx"};  // at least one
  std::string html;      // output file of the page; "" = text or JSON
  std::string forecast;  // GPUs to forecast in the page
  ColorWhen color = ColorWhen::kAuto;
  Help help = Help::kNone;
  bool interactive = false;
  bool pager = true;  // use a pager if the text is longer than the terminal
};
Result<ReportCommand> ParseReport(const std::vector<std::string>& args);

int RunReport(
    const std::vector<std::string>& args);  // exit status: 0, or 2 with one line on stderr

}  // namespace gprofx
