#include <unistd.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/diff/diff.h"
#include "cli/diff/sides.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x diff";
constexpr size_t kMostRows = 1'000'000'000;

constexpr OptionSpec kSpecs[] = {
    {"unpaired", nullptr, nullptr, "the runs of the two sides are not pairs: compare the groups"},
    {"least", "PERCENT", nullptr, "changes of a function below it do not matter (usually 2)"},
    {"limit", "N", nullptr, "rows of each table (usually 20)"},
    {"wide", nullptr, nullptr, "full names, lines may be longer than the screen"},
    {"json", nullptr, nullptr, "stable JSON instead of text"},
    {"color", "WHEN", nullptr, "auto, always or never", kColorChoices},
    {"help,h", nullptr, nullptr, "this text"},
};

Result<double> ParseLeast(const std::string& text) {
  char* end = nullptr;
  const double percent = strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(percent >= 0) || percent > 1000) {
    return Error{"--least takes a percentage, got '" + FitEnd(Printable(text), 40) + "'",
                 "for example --least 2"};
  }
  return percent / 100;
}

}  // namespace

std::span<const OptionSpec> DiffOptionSpecs() { return kSpecs; }

std::string DiffHelp() {
  return "Usage: gprof-x diff [OPTION...] BASE HEAD\n"
         "       gprof-x diff [OPTION...] BASE... -- HEAD...\n"
         "Says what takes longer in HEAD than in BASE, and how sure that is. Each is a\n"
         "profile or a folder of profiles: repetitions. One run of each shows what was\n"
         "done differently; times need repetitions, best five or more, taken in turns.\n\n" +
         OptionHelp(kSpecs) +
         "\nExit status: 0 nothing is slower, 1 something is, 2 trouble, 3 inconclusive.\n"
         "See gprof-x-diff(1).\n";
}

Result<DiffCommand> ParseDiff(const std::vector<std::string>& args) {
  const auto split = std::find(args.begin(), args.end(), "--");
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, {args.begin(), split});
  if (!parsed) return parsed.error();
  DiffCommand command;
  if (parsed->Has("help")) {
    command.help = true;
    return command;
  }
  std::vector<std::string> base = parsed->operands, head;
  if (split != args.end()) {
    head.assign(split + 1, args.end());
  } else if (base.size() == 2) {
    head = {base[1]};
    base.pop_back();
  }
  if (base.empty() || head.empty()) {
    return Error{"two sides are needed, and one is empty or not told apart",
                 "gprof-x diff BASE HEAD, or gprof-x diff BASE... -- HEAD..."};
  }
  const Result<std::vector<std::string>> base_files = ProfilesOf(base), head_files = ProfilesOf(head);
  if (!base_files) return base_files.error();
  if (!head_files) return head_files.error();
  command.base = *base_files;
  command.head = *head_files;
  command.options.settings.paired = !parsed->Has("unpaired");
  if (parsed->Has("least")) {
    const Result<double> least = ParseLeast(parsed->values.at("least"));
    if (!least) return least.error();
    command.options.settings.least_effect = *least;
  }
  if (parsed->Has("limit")) {
    const Result<size_t> limit = ParseCount("--limit", parsed->values.at("limit"), kMostRows);
    if (!limit) return limit.error();
    command.options.limit = *limit;
  }
  command.options.wide = parsed->Has("wide");
  command.options.json = parsed->Has("json");
  const Result<ColorWhen> color = ParseColor(*parsed);
  if (!color) return color.error();
  command.color = *color;
  return command;
}

int DiffStatus(const compare::Diff& diff) {
  switch (diff.verdict) {
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

int RunDiff(const std::vector<std::string>& args) {
  const Result<DiffCommand> command = ParseDiff(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help) return Print(kCommand, DiffHelp(), "the help");
  const Result<std::vector<compare::Run>> base = ReadRuns(command->base);
  if (!base) return Fail(kCommand, base.error());
  const Result<std::vector<compare::Run>> head = ReadRuns(command->head);
  if (!head) return Fail(kCommand, head.error());
  const compare::Diff diff = compare::CompareRuns(*base, *head, command->options.settings);
  const DiffSurroundings around{DetectScreen(STDOUT_FILENO, command->color), command->base,
                                command->head};
  const int printed = Print(kCommand, RenderDiff(diff, command->options, around), "the comparison");
  return printed != 0 ? printed : DiffStatus(diff);
}

}  // namespace gprofx
