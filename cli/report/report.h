// gprof-x report: a profile as text or JSON.
//
// RenderReport is pure: profile and options in, text out; the clock, the screen and the file's name
// are passed in. It takes any Profile that LoadProfile accepts. RunReport is the command around it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/profile.h"
#include "core/result.h"

namespace gprofx {

enum class View { kTop, kTree, kCallers, kLines, kThreads };
enum class RowsBy { kDefault, kFunction, kLine, kModule, kThread, kProcess, kKernel };

struct ReportOptions {
  View view = View::kTop;
  RowsBy by = RowsBy::kDefault;
  std::string callers_of;
  std::optional<size_t> limit;  // rows or lines; nothing = what suits the view
  std::string metric;           // "" = what the clock of the recording counts
  std::string focus, ignore;    // "" = none
  bool all_frames = false;
  bool wide = false;
  bool json = false;
};

struct ReportSurroundings {
  Screen screen;
  std::string file = "profile.gprofx";
  int64_t now_realtime_ns = 0;  // 0 = unknown: the age of the recording is not mentioned
};

Result<std::string> RenderReport(const Profile& profile, const ReportOptions& options,
                                 const ReportSurroundings& around);

std::span<const OptionSpec> ReportOptionSpecs();
std::string ReportHelp();

// What the operands and options mean; the error is one line.
struct ReportCommand {
  ReportOptions options;
  std::string file = "profile.gprofx";
  ColorWhen color = ColorWhen::kAuto;
  bool help = false;
};
Result<ReportCommand> ParseReport(const std::vector<std::string>& args);

int RunReport(
    const std::vector<std::string>& args);  // exit status: 0, or 2 with one line on stderr

}  // namespace gprofx
