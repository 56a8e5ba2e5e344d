#include "cli/mcp/tool_table.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/analyze/analyze.h"
#include "cli/annotate/annotate.h"
#include "cli/diff/diff.h"
#include "cli/report/report.h"

namespace gprofx {
namespace {

using Kind = ArgumentKind;
using enum ToolCommand;

// Options of a command, by their long names. "limit=10" sets a default.
constexpr char kPart[] = "phase range steps";
constexpr char kStacks[] = "metric focus ignore view own phase range steps";

constexpr ToolArgument kProfile{
    "profile",
    Kind::kProfile,
    "",
    "path of the profile, as list_profiles shows it or relative to a folder of the server",
    "",
    true};
constexpr ToolArgument kTreeBy{"by", Kind::kText, "by", "what to group nodes by",
                               "function line module"};
constexpr ToolArgument kFunction{
    "function", Kind::kText, "callers", "name of the function, or '#3' for row 3 of top", "", true};
constexpr ToolArgument kKernel{
    "kernel", Kind::kText,
    "",       "name of the kernel or a part of it, or '#g3' for kernel row 3 of top",
    "",       true};
constexpr ToolArgument kShowInstructions{"instructions", Kind::kYes, "sass",
                                         "show instructions, by offset, instead of source lines"};
constexpr ToolArgument kBins{
    "bins", Kind::kCount, nullptr,
    "number of parts that the time is divided into, at most 1000 (default: 40)"};
constexpr ToolArgument kId{"id", Kind::kText, nullptr, "show only this finding, such as 'F2'"};
constexpr ToolArgument kAnalysis{"analysis",
                                 Kind::kText,
                                 "",
                                 "the analysis",
                                 "A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15",
                                 true};
constexpr ToolArgument kBase{
    "base", Kind::kProfiles,
    "",     "profiles of the old version: files, or a folder that contains them",
    "",     true};
constexpr ToolArgument kHead{"head", Kind::kProfiles, "", "profiles of the new version", "", true};

std::span<const OptionSpec> OptionsOf(ToolCommand command) {
  return command == kReport     ? ReportOptionSpecs()
         : command == kAnalyze  ? AnalyzeOptionSpecs()
         : command == kAnnotate ? AnnotateOptionSpecs()
                                : DiffOptionSpecs();
}

// Returns the argument that sets an option. A profile may have other metrics than those that a
// shell completes.
ToolArgument ArgumentOf(const OptionSpec& spec) {
  const std::string_view value = spec.value == nullptr ? "" : spec.value;
  const Kind kind = value.empty() ? Kind::kYes : value == "N" ? Kind::kCount : Kind::kText;
  const bool is_closed = spec.choices != nullptr && std::string_view(spec.names) != "metric";
  const char* name = spec.names;  // options with a short name ("top,t") become no argument
  return {name,
          kind,
          name,
          spec.help,
          is_closed ? spec.choices : "",
          false,
          kind == Kind::kText && !is_closed ? spec.value : ""};
}

// Appends the arguments for `options` of a command.
std::vector<ToolArgument> With(ToolCommand command, std::vector<ToolArgument> arguments,
                               const std::string& options) {
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    arguments.push_back(ArgumentOf(*FindOption(OptionsOf(command), word.substr(0, equals))));
    if (equals < word.size()) arguments.back().usual = std::stoi(word.substr(equals + 1));
  }
  return arguments;
}

std::vector<Tool> MakeTools() {
  return {
      {"list_profiles",
       "List profiles",
       "Lists the profiles (.gprofx) in the folders of this server, newest first.",
       kList,
       "",
       {}},
      {"top", "Functions and kernels with the most time",
       "Shows where the time went: kernels, waits and functions with the most self time, and the "
       "wall time of the GPU. Times are nanoseconds.",
       kReport, "--top", With(kReport, {kProfile}, std::string("limit=10 by ") + kStacks)},
      {"tree", "Call tree",
       "Shows the call tree as a flat list, parents first. 'total' includes callees.", kReport,
       "--tree", With(kReport, {kProfile, kTreeBy}, kStacks)},
      {"callers", "Who calls a function", "Shows the callers of one function as a tree.", kReport,
       "", With(kReport, {kProfile, kFunction}, kStacks)},
      {"lines", "Source lines with the most time", "Shows the source lines with the most time.",
       kReport, "--lines", With(kReport, {kProfile}, std::string("limit=20 ") + kStacks)},
      {"annotate", "Inside a GPU kernel",
       "Shows where the PC samples of one GPU kernel lie, by source line, with the reasons for its "
       "stalls.",
       kAnnotate, "", With(kAnnotate, {kProfile, kKernel, kShowInstructions}, "limit=20")},
      {"timeline", "Timeline of a period",
       "Shows the activity of GPU streams, threads and named ranges during a period, in percent "
       "of each of its intervals, and the times of phases and steps.",
       kReport, "--timeline", With(kReport, {kProfile, kBins}, kPart)},
      {"findings", "What costs a step time",
       "Lists inefficiencies with their source line, the maximum saving per step, the evidence, "
       "how the saving was computed, and advice.",
       kAnalyze, "--findings", With(kAnalyze, {kProfile, kId}, kPart)},
      {"analyze", "One analysis of a model's time", "Shows one table of a model on a GPU:",
       kAnalyze, "", With(kAnalyze, {kProfile, kAnalysis}, kPart)},
      {"diff", "Compare two versions",
       "Shows what takes longer in one version of a program than in another, and how certain that "
       "is. To compare times, give five or more runs of each version.",
       kDiff, "", With(kDiff, {kBase, kHead}, "view unpaired")},
      {"quality", "How good a recording is",
       "Shows whether a recording is complete and its numbers can be trusted, what recording cost, "
       "and how much time is lost or unknown. Ask this before drawing conclusions.",
       kReport, "--top", With(kReport, {kProfile}, kPart)},
  };
}

}  // namespace

std::string DescriptionOf(const ToolArgument& argument) {
  const std::string value = *argument.value != 0 ? std::string(argument.value) + ": " : "";
  return value + argument.help;
}

std::span<const Tool> AllTools() {
  static const std::vector<Tool> tools = MakeTools();
  return tools;
}

const Tool* FindTool(const std::string& name) {
  for (const Tool& tool : AllTools()) {
    if (name == tool.name) return &tool;
  }
  return nullptr;
}

}  // namespace gprofx
