#include "cli/mcp/tool_table.h"

namespace gprofx {
namespace {

using Kind = ArgumentKind;

constexpr ToolArgument kProfile{
    "profile", Kind::kProfile,
    "",        "the file, as list_profiles names it or relative to a folder",
    "",        true};
constexpr ToolArgument kLimit{"limit", Kind::kCount, "--limit", "rows (default: 20)",
                              "",      false,        "20"};
constexpr ToolArgument kMetric{"metric", Kind::kText, "--metric",
                               "metric: cpu, wall, samples, gpu, gpu_memory, ..."};
constexpr ToolArgument kFocus{"focus", Kind::kText, "--focus",
                              "only stacks with a function or file that matches this expression"};
constexpr ToolArgument kIgnore{"ignore", Kind::kText, "--ignore",
                               "without stacks with a function or file that matches"};
constexpr ToolArgument kView{
    "view", Kind::kText, "--view",
    "whose code is shown (default: python in tables of functions and lines "
    "if most of the time has Python frames, else mixed)",
    "mixed python native"};
constexpr ToolArgument kOwn{
    "own", Kind::kYes, "--own",
    "only the program's own code; code that it calls counts as its self time"};
constexpr ToolArgument kPhase{
    "phase", Kind::kText, "--phase",
    "only this part of the run (default: steady if steps were found, else all)",
    "all startup warmup steady end"};
constexpr ToolArgument kRange{"range", Kind::kText, "--range",
                              "only from A to B after the start: '12s..15s', '800ms..'"};
constexpr ToolArgument kSteps{"steps", Kind::kText, "--steps",
                              "only steps N to M, counted from 1: '100..120'"};

constexpr ToolArgument kQuality[] = {kProfile, kPhase, kRange, kSteps};

constexpr ToolArgument kTop[] = {
    kProfile,
    {"limit", Kind::kCount, "--limit", "rows of each table (default: 10)", "", false, "10"},
    {"by", Kind::kText, "--by", "group rows by",
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
    kProfile, {"by", Kind::kText, "--by", "group nodes by", "function line module"},
    kMetric,  kFocus,
    kIgnore,  kView,
    kOwn,     kPhase,
    kRange,   kSteps,
};

constexpr ToolArgument kCallers[] = {
    kProfile, {"function", Kind::kText, "--callers", "its name, or '#3': row 3 of top", "", true},
    kMetric,  kFocus,
    kIgnore,  kView,
    kOwn,     kPhase,
    kRange,   kSteps,
};

constexpr ToolArgument kLines[] = {kProfile, kLimit, kMetric, kFocus, kIgnore,
                                   kView,    kOwn,   kPhase,  kRange, kSteps};

constexpr ToolArgument kAnnotate[] = {
    kProfile,
    {"kernel", Kind::kText, "", "a name or a part of it, or '#g3': kernel row 3 of top", "", true},
    {"instructions", Kind::kYes, "--sass", "instructions, by offset, instead of source lines"},
    kLimit,
};

constexpr ToolArgument kTimeline[] = {
    kProfile,
    kPhase,
    kRange,
    kSteps,
    {"bins", Kind::kCount, nullptr,
     "parts that the time is divided into, at most 1000 (default: 40)"},
};

constexpr ToolArgument kFindings[] = {
    kProfile, {"id", Kind::kText, nullptr, "only this one: 'F2'"}, kPhase, kRange, kSteps};

constexpr ToolArgument kAnalyze[] = {
    kProfile,
    {"analysis", Kind::kText, "", "which one", "A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15",
     true},
    kPhase,
    kRange,
    kSteps,
};

constexpr ToolArgument kDiff[] = {
    {"base", Kind::kProfiles, "", "profiles of the old version: files, or a folder of them", "",
     true},
    {"head", Kind::kProfiles, "", "profiles of the new version", "", true},
    {"view", Kind::kText, "--view", "whose code is compared (default: python)",
     "mixed python native"},
    {"unpaired", Kind::kYes, "--unpaired", "the runs of the two sides are not pairs"},
};

constexpr Tool kTools[] = {
    {"list_profiles",
     "List profiles",
     "The profiles (.gprofx) in the folders of this server, what was written last first.",
     ToolCommand::kList,
     "",
     {}},
    {"top", "Functions and kernels with the most time",
     "Where the time went: kernels, waits and functions with the most self time, with the wall "
     "time "
     "of the GPU. Times are nanoseconds.",
     ToolCommand::kReport, "--top", kTop},
    {"tree", "Call tree", "The call tree as a flat list, parents first; 'total' includes callees.",
     ToolCommand::kReport, "--tree", kTree},
    {"callers", "Who calls a function",
     "The call tree upside down, from one function to its callers.", ToolCommand::kReport, "",
     kCallers},
    {"lines", "Source lines with the most time", "Source lines with the most time.",
     ToolCommand::kReport, "--lines", kLines},
    {"annotate", "Inside of a GPU kernel",
     "Where the PC samples of one GPU kernel lie, by source line, with the reasons of its stalls.",
     ToolCommand::kAnnotate, "", kAnnotate},
    {"timeline", "Timeline of a range",
     "How busy GPU streams, threads and named ranges were over a range of time, in percent of each "
     "part of it; phases and steps with their times.",
     ToolCommand::kReport, "--timeline", kTimeline},
    {"findings", "What costs a step time",
     "Inefficiencies with their source line, the saving of a step at most, evidence, how it was "
     "computed, and advice.",
     ToolCommand::kAnalyze, "--findings", kFindings},
    {"analyze", "One analysis of a model's time",
     "One table of a model on a GPU:", ToolCommand::kAnalyze, "", kAnalyze},
    {"diff", "Compare two versions",
     "What takes longer in one version of a program than in another, and how sure that is. Times "
     "need repetitions, best five or more of each.",
     ToolCommand::kDiff, "", kDiff},
    {"quality", "How good a recording is",
     "Whether a recording is complete and its numbers can be trusted, what it cost, and what of "
     "the "
     "time is lost or unknown. Ask this before drawing conclusions.",
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
