#include "cli/mcp/tool_table.h"

namespace gprofx {
namespace {

using Kind = ArgumentKind;

constexpr ToolArgument kProfile{
    "profile",
    Kind::kProfile,
    "",
    "path of the profile, as list_profiles shows it or relative to a folder of the server",
    "",
    true};
constexpr ToolArgument kLimit{"limit", Kind::kCount, "--limit", "number of rows (default: 20)",
                              "",      false,        "20"};
constexpr ToolArgument kMetric{"metric", Kind::kText, "--metric",
                               "metric to show: cpu, wall, samples, gpu, gpu_memory, ..."};
constexpr ToolArgument kFocus{
    "focus", Kind::kText, "--focus",
    "include only stacks with a function or file that matches this regular expression"};
constexpr ToolArgument kIgnore{
    "ignore", Kind::kText, "--ignore",
    "exclude stacks with a function or file that matches this regular expression"};
constexpr ToolArgument kView{"view", Kind::kText, "--view",
                             "frames to show (default: python in tables of functions and lines if "
                             "most of the time has Python frames, else mixed)",
                             "mixed python native"};
constexpr ToolArgument kOwn{
    "own", Kind::kYes, "--own",
    "show only the program's own code; code that it calls counts as its self time"};
constexpr ToolArgument kPhase{"phase", Kind::kText, "--phase",
                              "phase to show (default: steady if steps were found, else all)",
                              "all startup warmup steady end work"};
constexpr ToolArgument kRange{
    "range", Kind::kText, "--range",
    "range of time to show, after the start, such as '12s..15s' or '800ms..'"};
constexpr ToolArgument kSteps{"steps", Kind::kText, "--steps",
                              "steps to show, counted from 1, such as '100..120'"};

constexpr ToolArgument kQuality[] = {kProfile, kPhase, kRange, kSteps};

constexpr ToolArgument kTop[] = {
    kProfile,
    {"limit", Kind::kCount, "--limit", "number of rows of each table (default: 10)", "", false,
     "10"},
    {"by", Kind::kText, "--by", "what to group rows by",
     "function line module thread process kernel layer layer-type operator library"},
    kMetric,
    kFocus,
    kIgnore,
    kView,
    kOwn,
    kPhase,
    kRange,
    kSteps,
};

constexpr ToolArgument kTree[] = {
    kProfile, {"by", Kind::kText, "--by", "what to group nodes by", "function line module"},
    kMetric,  kFocus,
    kIgnore,  kView,
    kOwn,     kPhase,
    kRange,   kSteps,
};

constexpr ToolArgument kCallers[] = {
    kProfile,
    {"function", Kind::kText, "--callers", "name of the function, or '#3' for row 3 of top", "",
     true},
    kMetric,
    kFocus,
    kIgnore,
    kView,
    kOwn,
    kPhase,
    kRange,
    kSteps,
};

constexpr ToolArgument kLines[] = {kProfile, kLimit, kMetric, kFocus, kIgnore,
                                   kView,    kOwn,   kPhase,  kRange, kSteps};

constexpr ToolArgument kAnnotate[] = {
    kProfile,
    {"kernel", Kind::kText, "",
     "name of the kernel or a part of it, or '#g3' for kernel row 3 of top", "", true},
    {"instructions", Kind::kYes, "--sass", "show instructions, by offset, instead of source lines"},
    kLimit,
};

constexpr ToolArgument kTimeline[] = {
    kProfile,
    kPhase,
    kRange,
    kSteps,
    {"bins", Kind::kCount, nullptr,
     "number of parts that the time is divided into, at most 1000 (default: 40)"},
};

constexpr ToolArgument kFindings[] = {
    kProfile,
    {"id", Kind::kText, nullptr, "show only this finding, such as 'F2'"},
    kPhase,
    kRange,
    kSteps};

constexpr ToolArgument kAnalyze[] = {
    kProfile,
    {"analysis", Kind::kText, "", "the analysis",
     "A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15", true},
    kPhase,
    kRange,
    kSteps,
};

constexpr ToolArgument kDiff[] = {
    {"base", Kind::kProfiles, "",
     "profiles of the old version: files, or a folder that contains them", "", true},
    {"head", Kind::kProfiles, "", "profiles of the new version", "", true},
    {"view", Kind::kText, "--view", "frames to compare (default: python)", "mixed python native"},
    {"unpaired", Kind::kYes, "--unpaired", "compare the two sides as groups instead of in pairs"},
};

constexpr Tool kTools[] = {
    {"list_profiles",
     "List profiles",
     "Lists the profiles (.gprofx) in the folders of this server, newest first.",
     ToolCommand::kList,
     "",
     {}},
    {"top", "Functions and kernels with the most time",
     "Shows where the time went: kernels, waits and functions with the most self time, and the "
     "wall time of the GPU. Times are nanoseconds.",
     ToolCommand::kReport, "--top", kTop},
    {"tree", "Call tree",
     "Shows the call tree as a flat list, parents first. 'total' includes callees.",
     ToolCommand::kReport, "--tree", kTree},
    {"callers", "Who calls a function", "Shows the callers of one function as a tree.",
     ToolCommand::kReport, "", kCallers},
    {"lines", "Source lines with the most time", "Shows the source lines with the most time.",
     ToolCommand::kReport, "--lines", kLines},
    {"annotate", "Inside a GPU kernel",
     "Shows where the PC samples of one GPU kernel lie, by source line, with the reasons for its "
     "stalls.",
     ToolCommand::kAnnotate, "", kAnnotate},
    {"timeline", "Timeline of a period",
     "Shows the activity of GPU streams, threads and named ranges during a period, in percent "
     "of each of its intervals, and the times of phases and steps.",
     ToolCommand::kReport, "--timeline", kTimeline},
    {"findings", "What costs a step time",
     "Lists inefficiencies with their source line, the maximum saving per step, the evidence, how "
     "the saving was computed, and advice.",
     ToolCommand::kAnalyze, "--findings", kFindings},
    {"analyze", "One analysis of a model's time",
     "Shows one table of a model on a GPU:", ToolCommand::kAnalyze, "", kAnalyze},
    {"diff", "Compare two versions",
     "Shows what takes longer in one version of a program than in another, and how certain that "
     "is. To compare times, give five or more runs of each version.",
     ToolCommand::kDiff, "", kDiff},
    {"quality", "How good a recording is",
     "Shows whether a recording is complete and its numbers can be trusted, what recording cost, "
     "and how much time is lost or unknown. Ask this before drawing conclusions.",
     ToolCommand::kReport, "--top", kQuality},
};

}  // namespace

std::span<const Tool> AllTools() { return kTools; }

const Tool* FindTool(const std::string& name) {
  for (const Tool& tool : kTools) {
    if (name == tool.name) return &tool;
  }
  return nullptr;
}

}  // namespace gprofx
