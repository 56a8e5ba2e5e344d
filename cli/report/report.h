// gprof-x report: a profile as text, JSON or a page (html/).
//
// RenderReport is pure: profile and options in, text out; the clock, the screen and the files'
// names are passed in. It takes any Profile that LoadProfile accepts. RunReport is the command
// around it.
#pragma once

#include <cstdint>
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
  bool json = false;
  bool redact = false;      // names that could be the user's own are hashes
  bool corrected = false;   // times of the host as they would be without recording
  size_t json_bins = 1000;  // of timelines and plots of memory in JSON
};

struct ReportSurroundings {
  Screen screen;
  std::vector<std::string> files = {"profile.gprofx"};  // at least one
  int64_t now_realtime_ns = 0;      // 0 = unknown: the age of the recording is not mentioned
  std::vector<Finding> findings;    // in the file; told below the functions
  bool files_are_redacted = false;  // nobody can type them
};

// `events`: bins of a timeline as many as TimelineBinsFor.
Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around, const ViewEvents& events = {});

// Bins of a timeline that fit the screen, or that JSON has.
size_t TimelineBinsFor(const ReportOptions& options, const Screen& screen);
// The same of the plots of memory.
size_t MemoryBinsFor(const ReportOptions& options, const Screen& screen);

std::span<const OptionSpec> ReportOptionSpecs();
std::string ReportHelp();

// What the operands and options mean; the error is one line.
struct ReportCommand {
  ReportOptions options;
  std::vector<std::string> files = {"profile.gprofx"};  // at least one
  std::string html;      // where a page is written to; "" = text or JSON
  std::string forecast;  // GPUs that the page has a forecast for
  ColorWhen color = ColorWhen::kAuto;
  bool help = false;
  bool interactive = false;
  bool pager = true;  // where the text is longer than the terminal
};
Result<ReportCommand> ParseReport(const std::vector<std::string>& args);

int RunReport(
    const std::vector<std::string>& args);  // exit status: 0, or 2 with one line on stderr

}  // namespace gprofx
