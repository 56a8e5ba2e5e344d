// gprof-x diff: finds what is slower in one version of a program than in another. RenderDiff() is
// pure and turns a comparison into text. RunDiff() is the command.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/diff/outputs.h"
#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"
#include "core/compare/diff.h"

namespace gprofx {

// Which tables to print.
enum class DiffTables { kUsual, kFunctions, kLines, kOperators, kKernels };

struct DiffOptions {
  compare::Settings settings;
  size_t limit = 20;  // maximum rows of each table
  bool wide = false;
  bool json = false;
  DiffTables tables = DiffTables::kUsual;
  DiffOutputs outputs;
};

struct DiffSurroundings {
  Screen screen;
  std::vector<std::string> base, head;  // files of each side
  // Only if times are per call: true if they come from whole runs, and not from steps.
  bool of_whole_runs = false;
};

std::string RenderDiff(const compare::Diff& diff, const DiffOptions& options,
                       const DiffSurroundings& around);
std::string DiffText(const compare::Diff& diff, const DiffOptions& options,
                     const DiffSurroundings& around);
std::string DiffJson(const compare::Diff& diff, const DiffOptions& options,
                     const DiffSurroundings& around);

// Returns the exit status of a comparison. Without rules, it is 0 if nothing is slower, 1 for a
// regression, and 3 if the result is unclear. With rules, it is 0 if all hold, 1 if one fires, and
// 3 if one cannot be decided. 2 is reserved for input that cannot be read.
int DiffStatus(const compare::Diff& diff);

// Prints the comparison and writes the files that options.outputs requests. Returns the exit
// status. `command` is the name of the command in errors, such as "gprof-x diff".
int TellDiff(const char* command, const compare::Diff& diff, const DiffOptions& options,
             const DiffSurroundings& around);

std::span<const OptionSpec> DiffOptionSpecs();
std::string DiffHelp(Help which = Help::kAll);

// The parsed command line. `base` and `head` are files or folders of files. Errors of ParseDiff()
// are one line.
struct DiffCommand {
  DiffOptions options;
  std::vector<std::string> base, head;
  std::vector<std::string> fail_on;  // rules of --fail-on
  std::string rules_file;            // "" = none
  CodeView code = CodeView::kPython;
  ColorWhen color = ColorWhen::kAuto;
  Help help = Help::kNone;
  bool aa = false;  // --aa was given; all files are then in `base`
};
Result<DiffCommand> ParseDiff(const std::vector<std::string>& args);

int RunDiff(const std::vector<std::string>& args);

}  // namespace gprofx
