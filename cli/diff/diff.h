// gprof-x diff: what takes longer in one version of a program than in another.
//
// RenderDiff is pure: the comparison and options in, text out. RunDiff is the command around it.
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

// Which tables are printed.
enum class DiffTables { kUsual, kFunctions, kLines, kOperators, kKernels };

struct DiffOptions {
  compare::Settings settings;
  size_t limit = 20;  // rows of each table
  bool wide = false;
  bool json = false;
  DiffTables tables = DiffTables::kUsual;
  DiffOutputs outputs;
};

struct DiffSurroundings {
  Screen screen;
  std::vector<std::string> base, head;  // files
};

std::string RenderDiff(const compare::Diff& diff, const DiffOptions& options,
                       const DiffSurroundings& around);
std::string DiffText(const compare::Diff& diff, const DiffOptions& options,
                     const DiffSurroundings& around);
std::string DiffJson(const compare::Diff& diff, const DiffOptions& options,
                     const DiffSurroundings& around);

// 0 nothing is slower, 1 regression, 3 inconclusive; 2 is for what cannot be read. With rules
// (rules checked into the comparison) 0 all hold, 1 one fires, 3 one cannot be told.
int DiffStatus(const compare::Diff& diff);

// Prints the comparison and writes all that options.outputs asks for: the exit status of a command
// that compares. `command` is "gprof-x diff".
int TellDiff(const char* command, const compare::Diff& diff, const DiffOptions& options,
             const DiffSurroundings& around);

std::span<const OptionSpec> DiffOptionSpecs();
std::string DiffHelp();

// What the operands and options mean; the error is one line. Sides are files or folders of files.
struct DiffCommand {
  DiffOptions options;
  std::vector<std::string> base, head;
  std::vector<std::string> fail_on;  // rules
  std::string rules_file;            // "" = none
  CodeView code = CodeView::kPython;
  ColorWhen color = ColorWhen::kAuto;
  bool help = false;
  bool aa = false;  // `base` is all there is
};
Result<DiffCommand> ParseDiff(const std::vector<std::string>& args);

int RunDiff(const std::vector<std::string>& args);

}  // namespace gprofx
