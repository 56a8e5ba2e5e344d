#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/baseline_store.h"
#include "cli/command.h"
#include "cli/diff/aa.h"
#include "cli/diff/diff.h"
#include "cli/diff/rules_option.h"
#include "cli/diff/sides.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "core/compare/rules/rule_check.h"

namespace gprofx {
namespace {

// The options that --help lists. --help-all lists all options.
constexpr char kCommon[] = "aa fail-on rules by view limit json html md junit help";

constexpr OptionSpec kOwnSpecs[] = {
    {"unpaired", nullptr, nullptr,
     "Compare all runs of BASE with all runs of HEAD instead of comparing pairs of runs."},
    {"least", "PERCENT", nullptr,
     "Ignore a function's change if it is smaller than PERCENT (default: 2)."},
    {"aa", nullptr, nullptr,
     "Split the runs of BASE into two sides and compare the two sides. Show the rate of false "
     "alarms and the smallest change that these runs can detect."},
    {"fail-on", "RULE", nullptr,
     "Fail only if RULE fires. Examples: 'total>1%', or 'finding>5%' to detect new findings. "
     "Repeat the option for several rules.",
     nullptr, true},
    {"rules", "FILE", nullptr, "Read rules and suppressions from FILE, one per line."},
    {"by", "WHAT", nullptr, "Show only the table of WHAT: function, line, operator or kernel.",
     "function line operator kernel"},
    option::View("Select the code to show: python, mixed or native (default: python). With python, "
                 "native time counts for the Python line that called the native code."),
    option::Limit("Show at most N rows of each table (default: 20)."),
    option::Wide(),
    option::Json(),
    option::kColor,
    option::kShortHelp,
    option::kHelpAll,
};
constexpr auto kSpecs = WithOutputs(kOwnSpecs);

Result<double> ParseLeast(const std::string& text) {
  char* end = nullptr;
  const double percent = strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(percent >= 0) || percent > 1000) {
    return BadValue("--least", "a percentage", text, "for example --least 2");
  }
  return std::log1p(percent / 100);
}

Status SetTables(const ParsedOptions& parsed, DiffOptions& options) {
  const auto found = parsed.values.find("by");
  if (found == parsed.values.end()) return Ok();
  static constexpr std::pair<std::string_view, DiffTables> kTables[] = {
      {"function", DiffTables::kFunctions},
      {"line", DiffTables::kLines},
      {"operator", DiffTables::kOperators},
      {"kernel", DiffTables::kKernels}};
  for (const auto& [name, tables] : kTables) {
    if (name != found->second) continue;
    options.tables = tables;
    return Ok();
  }
  return BadValue("--by", "function, line, operator or kernel", found->second);
}

}  // namespace

std::span<const OptionSpec> DiffOptionSpecs() { return kSpecs; }

std::string DiffHelp(Help which) {
  return "Usage: gprof-x diff [OPTION...] BASE HEAD\n"
         "       gprof-x diff [OPTION...] BASE... -- HEAD...\n"
         "       gprof-x diff [OPTION...] --aa BASE...\n"
         "Shows what takes longer in HEAD than in BASE, and how certain the result is.\n"
         "Each side is a profile, or a folder with the profiles of repeated runs. One run\n"
         "of each side is enough to compare counts, such as kernel launches. To compare\n"
         "times, record five or more runs of each side alternately. baseline:NAME is a\n"
         "baseline that 'gprof-x ci baseline' saved.\n\n" +
         OptionHelp(kSpecs, which, kCommon) +
         "\n"
         "Exit status: 0 if nothing is slower, 1 if something is slower, 2 if an error\n"
         "occurs, 3 if the result is inconclusive. With rules: 0 if all rules hold, 1 if\n"
         "one fires, 3 if one is unclear.\n"
         "See gprof-x-diff(1).\n";
}

Result<DiffCommand> ParseDiff(const std::vector<std::string>& args) {
  const auto split = std::find(args.begin(), args.end(), "--");
  const Result<ParsedOptions> parsed = ParseOptions(kDiffCommand, kSpecs, {args.begin(), split});
  if (!parsed) return parsed.error();
  DiffCommand command;
  command.help = AskedHelp(*parsed);
  if (command.help != Help::kNone) return command;
  std::vector<std::string> base = parsed->operands, head;
  command.aa = parsed->Has("aa");
  if (command.aa && (base.empty() || split != args.end())) {
    return Error{ErrorId::kBadOperands, "option '--aa' needs the runs of one side",
                 "run gprof-x diff --aa BASE..."};
  }
  for (const char* other :
       {"fail-on", "rules", "by", "junit", "sarif", "gitlab", "metrics", "md", "html", "github"}) {
    if (command.aa && parsed->Has(other)) {
      return CannotCombine(
          "--aa", std::string("--") + other,
          "leave --" + std::string(other) + " out: --aa compares runs of one version");
    }
  }
  if (command.aa) {
    // With --aa, all files are on one side.
  } else if (split != args.end()) {
    head.assign(split + 1, args.end());
  } else if (base.size() == 2) {
    head = {base[1]};
    base.pop_back();
  }
  if (base.empty() || (head.empty() && !command.aa)) {
    return Error{ErrorId::kBadOperands, "two sides are needed: a base and a head",
                 "run gprof-x diff BASE HEAD, or gprof-x diff BASE... -- HEAD..."};
  }
  const Result<std::vector<std::string>> base_files = ProfilesOf(base),
                                         head_files = ProfilesOf(head);
  if (!base_files) return base_files.error();
  if (!head_files) return head_files.error();
  command.base = *base_files;
  command.head = *head_files;
  const auto is_kept = [](const auto& side) {
    return std::any_of(side.begin(), side.end(), &NamesBaseline);
  };
  command.options.settings.paired = !parsed->Has("unpaired") && !is_kept(base) && !is_kept(head);
  if (parsed->Has("least")) {
    const Result<double> least = ParseLeast(parsed->values.at("least"));
    if (!least) return least.error();
    command.options.settings.least_effect = *least;
  }
  if (const Status set = SetTables(*parsed, command.options); !set) return set.error();
  const Status read = ReadOptions(*parsed, {{"limit", &command.options.limit},
                                            {"view", &command.code},
                                            {"rules", &command.rules_file},
                                            {"wide", &command.options.wide},
                                            {"json", &command.options.json},
                                            {"color", &command.color}});
  if (!read) return read.error();
  if (parsed->Has("fail-on")) command.fail_on = parsed->lists.at("fail-on");
  const Result<DiffOutputs> outputs = ParseOutputs(*parsed);
  if (!outputs) return outputs.error();
  command.options.outputs = *outputs;
  command.options.outputs.code = command.code;
  return command;
}

int DiffStatus(const compare::Diff& diff) {
  switch (compare::RuledVerdict(diff)) {
    case compare::Verdict::kRegression:
      return 1;
    case compare::Verdict::kInconclusive:
      return 3;
    default:
      return 0;
  }
}

std::string RenderDiff(const compare::Diff& diff, const DiffOptions& options,
                       const DiffSurroundings& around) {
  return options.json ? DiffJson(diff, options, around) : DiffText(diff, options, around);
}

int TellDiff(const char* command, const compare::Diff& diff, const DiffOptions& options,
             const DiffSurroundings& around) {
  if (!options.outputs.TakesStdout()) {
    std::string text = RenderDiff(diff, options, around);
    if (options.outputs.github && !options.json) text = GithubQuoted(text);
    if (const int printed = Print(command, text, "the comparison"); printed != 0) return printed;
  }
  const Status written = WriteDiffOutputs(diff, options, around);
  return written ? DiffStatus(diff) : Fail(command, written.error());
}

int RunDiff(const std::vector<std::string>& args) {
  const Result<DiffCommand> command = ParseDiff(args);
  if (!command) return Fail(kDiffCommand, command.error());
  if (command->help != Help::kNone) return Print(kDiffCommand, DiffHelp(command->help), "the help");
  if (command->aa) return RunAa(*command);
  compare::RuleSet rules;
  if (!ReadRules(kDiffCommand, command->fail_on, command->rules_file, Today(), rules)) return 2;
  const bool findings = rules.AskForFindings();
  const Result<Sides> sides = ReadSides(command->base, command->head, command->code, findings);
  if (!sides) return Fail(kDiffCommand, sides.error());
  compare::Diff diff = compare::CompareRuns(sides->base, sides->head, command->options.settings);
  if (!rules.empty()) compare::CheckRules(rules, command->options.settings, diff);
  const DiffSurroundings around{DetectScreen(STDOUT_FILENO, command->color), command->base,
                                command->head};
  return TellDiff(kDiffCommand, diff, command->options, around);
}

}  // namespace gprofx
