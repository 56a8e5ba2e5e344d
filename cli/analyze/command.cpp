#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/analyze/analyze.h"
#include "cli/analyze/findings.h"
#include "cli/analyze/read.h"
#include "cli/analyze/what_if.h"
#include "cli/command.h"
#include "cli/options/fields.h"
#include "cli/options/part.h"
#include "cli/options/shared.h"
#include "cli/report/number.h"
#include "cli/text_file.h"
#include "core/analyses/analyses.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x analyze";
// The analyses that are printed by default.
constexpr const char* kUsual[] = {"A1", "A6", "A10", "A13"};

// The options that --help lists. --help-all lists all options.
constexpr char kCommon[] = "all findings explain sarif phase what-if json limit help";

constexpr OptionSpec kSpecs[] = {
    {"all", nullptr, nullptr, "Show all fifteen analyses."},
    {"findings", nullptr, nullptr,
     "Show only the findings: causes of lost time, with their lines and maximum savings per step."},
    {"explain", "ID", nullptr,
     "Explain the finding with this ID: its evidence, how its saving was computed, and what to "
     "change."},
    option::Sarif("Write the findings to FILE as SARIF 2.1.0, for code scanning."),
    {"rules", nullptr, nullptr,
     "List the rules of the findings, and the inefficiencies that are not detected."},
    option::Limit("Show at most N rows of each table (default: 20)."),
    option::Phase(),
    option::Range(),
    option::Steps(),
    {"what-if", "CHANGE", nullptr,
     "Predict the step time after CHANGE: 'pin_memory', 'no-sync [FILE:LINE]', 'fuse NAME', "
     "'graphs' or 'scale NAME FACTOR'. Repeat the option to combine changes.",
     "pin_memory no-sync graphs", true},
    option::StepTime(
        "With --what-if, use TIME (such as 12.5ms) as the step time of an unrecorded run. The "
        "program's log may contain this time."),
    option::Json("Print stable JSON with all rows instead of text."),
    {"csv", nullptr, nullptr, "Print comma-separated values with all rows instead of text."},
    option::Redact(),
    option::Wide(),
    option::kNoPager,
    option::kColor,
    option::kShortHelp,
    option::kHelpAll,
};

struct AnalyzeCommand : AnalysisRequest {
  std::vector<WhatIfChange> what_if;
  int64_t step_ns = 0;  // step time without recording; 0 = not given
  AnalysisTextOptions text;
  ColorWhen color = ColorWhen::kAuto;
  bool json = false, csv = false, pager = true;
  Help help = Help::kNone;
  bool rules = false;
  std::string explain, sarif;  // "" if the option was not given
};

bool LooksLikeName(const std::string& operand) {
  const bool numbered = operand.size() >= 2 && operand.size() <= 3 &&
                        (operand[0] == 'A' || operand[0] == 'a') &&
                        operand.find_first_not_of("0123456789", 1) == std::string::npos;
  return numbered || analyses::FindAnalysis(operand) != nullptr;
}

Status SetOperands(const ParsedOptions& parsed, AnalyzeCommand& command) {
  for (const std::string& operand : parsed.operands) {
    if (!LooksLikeName(operand)) {
      command.files.push_back(operand);
      continue;
    }
    const analyses::AnalysisKind* kind = analyses::FindAnalysis(operand);
    if (kind == nullptr) {
      return Error{ErrorId::kNotFound, "there is no analysis '" + operand + "'",
                   "the analyses are A1 to A15; write a file of this name as ./" + operand};
    }
    const auto& kinds = command.kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) command.kinds.push_back(kind);
  }
  if (command.files.empty()) command.files = {"profile.gprofx"};
  if (parsed.Has("all")) {
    if (!command.kinds.empty()) {
      return Error{ErrorId::kConflict,
                   "option '--all' and the name of an analysis cannot be combined",
                   "leave one of them out"};
    }
    for (const analyses::AnalysisKind& kind : analyses::AnalysisKinds())
      command.kinds.push_back(&kind);
  }
  const bool only = parsed.Has("findings") || parsed.Has("explain");
  command.findings = only || command.kinds.empty() || parsed.Has("all") || parsed.Has("sarif");
  if (command.kinds.empty() && !only) {
    for (const char* name : kUsual) command.kinds.push_back(analyses::FindAnalysis(name));
  }
  return Ok();
}

Status SetWhatIf(const ParsedOptions& parsed, AnalyzeCommand& command) {
  Result<std::vector<WhatIfChange>> changes = ParseWhatIfs(parsed.lists.at("what-if"));
  if (!changes) return changes.error();
  command.what_if = std::move(*changes);
  if (parsed.Has("step-time")) {
    const Result<int64_t> time = ParseStepTime(ValueOf(parsed, "step-time"));
    if (!time) return time.error();
    command.step_ns = *time;
  }
  if (command.files.size() > 1 || parsed.Has("all") || command.csv || command.redact) {
    return Error{ErrorId::kConflict,
                 "option '--what-if' needs exactly one recording and cannot be combined with "
                 "'--all', '--csv' and '--redact'",
                 "leave them out"};
  }
  for (const char* other : {"findings", "explain", "sarif", "rules"}) {
    if (!parsed.Has(other)) continue;
    return CannotCombine("--what-if", "--" + std::string(other), "run one command for each");
  }
  return Ok();
}

Result<AnalyzeCommand> Parse(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  AnalyzeCommand command;
  command.help = AskedHelp(*parsed);
  if (command.help != Help::kNone) return command;
  if (Status set = SetOperands(*parsed, command); !set) return set.error();
  const Result<PartQuery> part = ParsePart(*parsed);
  if (!part) return part.error();
  command.part = *part;
  const Status read = ReadOptions(*parsed, {{"limit", &command.text.most_rows},
                                            {"rules", &command.rules},
                                            {"wide", &command.text.wide},
                                            {"json", &command.json},
                                            {"csv", &command.csv},
                                            {"redact", &command.redact},
                                            {"no-pager", TurnsOff{&command.pager}},
                                            {"color", &command.color}});
  if (!read) return read.error();
  if (parsed->Has("sarif")) {
    command.sarif = ValueOf(*parsed, "sarif");
    if (Status can = CheckTextFile(command.sarif, "--sarif"); !can) return can.error();
  }
  if (parsed->Has("explain")) {
    command.explain = ValueOf(*parsed, "explain");
    if (command.explain.empty()) {
      return Error{ErrorId::kConflict, "option '--explain' needs the name of a finding, not ''",
                   "'gprof-x analyze --findings' lists them"};
    }
    if (command.files.size() > 1) {
      return Error{ErrorId::kConflict, "option '--explain' needs exactly one recording",
                   "name one FILE"};
    }
  }
  if (command.json && command.csv) {
    return CannotCombine("--json", "--csv", "run one command for each");
  }
  const bool only = parsed->Has("findings") || parsed->Has("explain");
  if (command.csv && only) {
    return CannotCombine("--csv", parsed->Has("findings") ? "--findings" : "--explain",
                         "use --json for findings");
  }
  if (command.csv && command.sarif.empty()) command.findings = false;
  if (command.json && parsed->Has("explain")) {
    return CannotCombine("--explain", "--json", "use --findings --json, which has all of it");
  }
  if (parsed->Has("step-time") && !parsed->Has("what-if")) {
    return NeedsOption("--step-time", "--what-if");
  }
  if (parsed->Has("what-if")) {
    if (Status set = SetWhatIf(*parsed, command); !set) return set.error();
  }
  return command;
}

std::string ListOf(std::span<const analyses::AnalysisKind> kinds, size_t width) {
  std::string text;
  for (const analyses::AnalysisKind& kind : kinds) {
    std::string name = "  " + std::string(kind.name);
    name.resize(width, ' ');
    text += name + kind.title + "\n";
  }
  return text;
}

int PrintWhatIf(const AnalyzeCommand& command, const Screen& screen) {
  const Result<WhatIfReport> report = [&] {
    ProgressLine progress(STDERR_FILENO);
    progress.Show("reading " + command.files[0]);
    return AskWhatIf({command.files[0], command.what_if, command.part, command.step_ns});
  }();
  if (!report) return Fail(kCommand, report.error());
  if (command.json) return Print(kCommand, WhatIfJson(*report), "the answer");
  return PrintPaged(kCommand, WhatIfText(*report, screen), "the answer", command.pager);
}

}  // namespace

std::span<const OptionSpec> AnalyzeOptionSpecs() { return kSpecs; }

std::string AnalyzeHelp(Help which) {
  std::string text =
      "Usage: gprof-x analyze [OPTION...] [FILE...] [A1...A15|BREAKDOWN...]\n"
      "Shows what slows a model down, and where it spends time by step, layer, operator\n"
      "and kernel. FILE defaults to profile.gprofx. If several files are given, each\n"
      "file is analyzed as a separate run.\n\n" +
      OptionHelp(kSpecs, which, kCommon) +
      "\nAnalyses (default: the findings, A1, A6, A10 and A13):\n";
  text += ListOf(analyses::AnalysisKinds(), 7);
  text += "Breakdowns with the names of HolisticTraceAnalysis:\n";
  text += ListOf(analyses::BreakdownKinds(), 22);
  text += "Analysis of the runs of gprof-x record --levels:\n";
  text += ListOf(analyses::RunKinds(), 22);
  return text + "See gprof-x-analyze(1) for the columns of the tables and the JSON.\n";
}

Result<AnalysisRequest> ParseAnalysisRequest(const std::vector<std::string>& args) {
  const Result<AnalyzeCommand> command = Parse(args);
  if (!command) return command.error();
  return static_cast<const AnalysisRequest&>(*command);
}

int RunAnalyze(const std::vector<std::string>& args) {
  const Result<AnalyzeCommand> command = Parse(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help != Help::kNone) return Print(kCommand, AnalyzeHelp(command->help), "the help");
  const Screen screen = DetectScreen(STDOUT_FILENO, command->color);
  if (command->rules) return Print(kCommand, RulesText(screen), "the rules");
  if (!command->what_if.empty()) return PrintWhatIf(*command, screen);
  const Result<AnalysisReport> read = [&] {
    ProgressLine progress(STDERR_FILENO);
    return ReadAnalyses(*command,
                        [&](const std::string& file) { progress.Show("reading " + file); });
  }();
  if (!read) return Fail(kCommand, read.error());
  const AnalysisReport& report = *read;
  if (!command->sarif.empty()) {
    const std::string text = FindingsSarif(report.findings, PlaceOfFindings());
    if (Status done = ReplaceTextFile(command->sarif, text, "--sarif"); !done) {
      return Fail(kCommand, done.error());
    }
  }
  if (!command->explain.empty()) {
    const Result<std::string> text = ExplainText(report.findings.at(0), command->explain, screen);
    if (!text) return Fail(kCommand, text.error());
    return Print(kCommand, *text, "the finding");
  }
  if (command->json) return Print(kCommand, AnalysesJson(report), "the analyses");
  if (command->csv) return Print(kCommand, AnalysesCsv(report), "the analyses");
  return PrintPaged(kCommand, AnalysesText(report, screen, command->text), "the analyses",
                    command->pager);
}

}  // namespace gprofx
