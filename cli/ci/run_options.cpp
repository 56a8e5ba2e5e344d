#include "cli/ci/run_options.h"

#include <algorithm>
#include <cstdlib>

#include "cli/ci/ci.h"
#include "cli/ci/shell_line.h"
#include "cli/command.h"
#include "cli/options/shared.h"
#include "cli/record.h"
#include "cli/terminal/text.h"
#include "core/base/quantity.h"

namespace gprofx {
namespace {

constexpr size_t kMaxPairs = 1000;

constexpr OptionSpec kSpecs[] = {
    {"base", "CMD", nullptr,
     "Use the shell command CMD to run the base, the version to compare with."},
    {"head", "CMD", nullptr, "Use the shell command CMD to run the head, the version to check."},
    {"base-dir", "DIR", nullptr, "Run the base in the folder DIR (default: the current folder)."},
    {"head-dir", "DIR", nullptr, "Run the head in the folder DIR (default: the current folder)."},
    {"per-test", "FRAMEWORK", "auto",
     "Compare each benchmark of a suite. FRAMEWORK is pytest, google (Google Benchmark), catch2 or "
     "auto (default: auto).",
     "auto pytest google catch2"},
    {"command-for-each", "FILE", nullptr,
     "Compare each command in FILE, which has one command per line."},
    {"history", "FOLDER", nullptr,
     "With --per-test and --html: plot the history in FOLDER, as 'gprof-x ci history' reads it."},
    {"baseline", "NAME", nullptr,
     "Compare with the baseline NAME, which 'gprof-x ci baseline' saved."},
    {"pairs", "N", nullptr, "Run each version N times (default: 5)."},
    {"confirm", "N", nullptr,
     "Record N fresh pairs to confirm a regression, or none if N is 0 (default: the number of "
     "--pairs)."},
    {"warm-up", "N", nullptr, "Ignore the first N pairs (default: 1)."},
    {"time-limit", "TIME", nullptr,
     "Do not start a pair that would end after TIME. Examples: 90s, 15m or 2h."},
    option::Output("Write profiles and the verdict to FOLDER (default: gprof-x-ci).", "FOLDER"),
    option::Force("Replace the results of an earlier job in FOLDER."),
    {"record-options", "WORDS", nullptr,
     "Pass WORDS, such as '-F 499 --gpu trace', to gprof-x record."},
    {"show-output", nullptr, nullptr,
     "Print the output of the programs to standard error instead of writing it to files."},
    {"ignore-failures", nullptr, nullptr, "Continue if a program fails."},
};

// True for the options of `gprof-x diff` that `ci run` does not take.
bool IsForDiffAlone(std::string_view name) {
  return name == "help" || name == "help-all" || name == "aa";
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

struct SplitArgs {
  std::vector<std::string> own, diff;
};

// Separates the options of the comparison, which have a parser of their own, from the other
// options.
SplitArgs SplitOptions(const std::vector<std::string>& args) {
  SplitArgs split;
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t equals = args[i].find('=');
    const bool is_long = args[i].starts_with("--");
    const std::string name =
        is_long ? args[i].substr(2, equals == std::string::npos ? equals : equals - 2) : "";
    const OptionSpec* own = FindOption(kSpecs, name);
    const OptionSpec* diff =
        own != nullptr || IsForDiffAlone(name) ? nullptr : FindOption(DiffOptionSpecs(), name);
    std::vector<std::string>& out = diff != nullptr ? split.diff : split.own;
    const OptionSpec* spec = diff != nullptr ? diff : own;
    out.push_back(args[i]);
    if (spec == nullptr || spec->value == nullptr || equals != std::string::npos) continue;
    const bool has_value =
        i + 1 < args.size() && (spec->fallback == nullptr || IsNumber(args[i + 1]));
    if (has_value) out.push_back(args[++i]);
  }
  return split;
}

std::vector<std::string> SplitAtBlanks(const std::string& text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string::npos) {
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool HasOption(const std::vector<std::string>& words, std::string_view long_name,
               std::string_view short_name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.starts_with(long_name) || word.starts_with(short_name);
  });
}

// Sets default options of gprof-x record.
//
// If both versions are recorded now, --overhead is none: both have the same cost of recording, and
// continuous recording makes the comparison exact. The runs of a stored baseline cannot be changed.
// Benchmarks are sampled less often, because taking samples adds noise to their times: on a busy
// machine 4 % of a round at 997 Hz, 1 % at 199 Hz.
void AddDefaults(CiRun& run) {
  std::vector<std::string>& words = run.record_options;
  const bool has_rate = HasOption(words, "--frequency", "-F");
  if (!HasOption(words, "--overhead", "--overhead") && run.baseline.empty()) {
    words.insert(words.end(), {"--overhead", "none"});
  }
  if (run.per_test() && !has_rate) words.insert(words.end(), {"-F", "199"});
}

Status ReadRecordOptions(const std::string& text, CiRun& run) {
  run.record_options = SplitAtBlanks(text);
  std::vector<std::string> args = run.record_options;
  args.insert(args.end(), {"--", "true"});
  const Result<ParsedRecord> parsed = ParseRecord(args);
  if (!parsed) return parsed.error();
  if (parsed->help != Help::kNone || parsed->options.named || parsed->verbosity > 0 ||
      !parsed->runs.empty() || parsed->options.command != std::vector<std::string>{"true"}) {
    return BadValue("--record-options",
                    "options of one gprof-x record, without -o, -v and a command", text,
                    "for example '-F 499 --gpu trace'");
  }
  AddDefaults(run);
  return Ok();
}

Status ReadNumbers(const ParsedOptions& parsed, CiRun& run) {
  const auto read = [&](const char* name, size_t least, size_t& out) -> Status {
    if (!parsed.Has(name)) return Ok();
    const std::string& text = parsed.values.at(name);
    const size_t number =
        IsNumber(text) && text.size() <= 4 ? strtoul(text.c_str(), nullptr, 10) : kMaxPairs + 1;
    if (number < least || number > kMaxPairs) {
      return BadValue(std::string("--") + name,
                      "a whole number from " + std::to_string(least) + " to 1000", text,
                      std::string("for example --") + name + " 5");
    }
    out = number;
    return Ok();
  };
  size_t confirm = 0;
  const Status steps[] = {read("pairs", 2, run.pairs), read("confirm", 0, confirm),
                          read("warm-up", 0, run.warm_up)};
  for (const Status& step : steps) {
    if (!step) return step.error();
  }
  if (parsed.Has("confirm")) run.confirm = confirm;
  if (run.confirm && *run.confirm > 0 && *run.confirm < kMinFreshPairs) {
    return BadValue("--confirm", "a number of 3 pairs or more, or 0", std::to_string(*run.confirm),
                    "0 turns the confirmation off");
  }
  if (!parsed.Has("time-limit")) return Ok();
  const std::optional<double> limit = ParseTime(parsed.values.at("time-limit"));
  if (!limit) {
    return BadValue("--time-limit", "a time", parsed.values.at("time-limit"),
                    "for example 90s, 15m or 2h");
  }
  run.time_limit_s = *limit;
  return Ok();
}

Status ReadPerTest(const ParsedOptions& parsed, CiRun& run) {
  run.harness = ValueOf(parsed, "per-test");
  run.commands_file = ValueOf(parsed, "command-for-each");
  run.history = ValueOf(parsed, "history");
  if (parsed.Has("history") && run.history.empty()) {
    return BadValue("--history", "the name of a folder", "");
  }
  if (parsed.Has("command-for-each")) {
    if (run.commands_file.empty()) return BadValue("--command-for-each", "the name of a file", "");
    if (parsed.Has("per-test")) return CannotCombine("--command-for-each", "--per-test");
    if (!run.base.command.empty() || !run.head.command.empty() || !run.words.empty()) {
      return Error{ErrorId::kConflict,
                   "option '--command-for-each' and another command cannot be combined",
                   "leave one of them out"};
    }
    run.harness = "commands";
    return Ok();
  }
  constexpr std::string_view kFrameworks[] = {"auto", "pytest", "google", "catch2"};
  const bool is_known = std::find(std::begin(kFrameworks), std::end(kFrameworks), run.harness) !=
                        std::end(kFrameworks);
  if (!parsed.Has("per-test") || is_known) return Ok();
  return BadValue("--per-test", "auto, pytest, google or catch2", run.harness,
                  "for example --per-test=pytest");
}

// Fails if the words after "--" cannot be appended to the command line of a side as arguments.
Status CheckLines(const CiRun& run) {
  if (run.words.empty()) return Ok();
  for (const CiSide* side : {&run.base, &run.head}) {
    if (side->command.empty() || WithWords(side->command)) continue;
    return Error{ErrorId::kBadOperands,
                 "cannot add arguments to the command '" + FitEnd(Printable(side->command), 40) +
                     "' of --" + (side == &run.base ? "base" : "head"),
                 "write \"$@\" in the command where the arguments belong"};
  }
  return Ok();
}

Status CheckSides(const CiRun& run) {
  const bool lines = !run.base.command.empty() || !run.head.command.empty();
  if (!run.baseline.empty()) {
    if (!run.base.command.empty() || !run.base.folder.empty()) {
      return Error{ErrorId::kConflict,
                   "option '--baseline' and a base to record cannot be combined",
                   "leave one of them out"};
    }
    if (run.head.command.empty() && run.words.empty()) {
      return Error{ErrorId::kBadOperands, "no command is given",
                   "run gprof-x ci run --baseline NAME -- COMMAND"};
    }
    return Ok();
  }
  if (lines && (run.base.command.empty() || run.head.command.empty())) {
    return Error{
        ErrorId::kMissingOption,
        std::string("option '--") + (run.base.command.empty() ? "head' needs option '--base'"
                                                              : "base' needs option '--head'"),
        "run gprof-x ci run --base CMD --head CMD"};
  }
  const bool has_words = !run.words.empty() || !run.commands_file.empty();
  if (!lines && !has_words) {
    return Error{
        ErrorId::kBadOperands, "no command is given",
        "run gprof-x ci run --base CMD --head CMD, or --base-dir DIR --head-dir DIR -- COMMAND"};
  }
  if (!lines && run.base.folder == run.head.folder) {
    return Error{ErrorId::kBadOperands, "base and head are the same command in the same folder",
                 "tell them apart with --base-dir DIR and --head-dir DIR, or with --base CMD and "
                 "--head CMD"};
  }
  return Ok();
}

}  // namespace

std::span<const OptionSpec> CiRunOptionSpecs() { return kSpecs; }

std::optional<double> ParseTime(const std::string& text) {
  static constexpr UnitFactor kUnits[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
  constexpr double kMax = 1e10;
  const std::optional<double> seconds = ParseQuantity(text, kUnits);
  if (!seconds || *seconds == 0 || *seconds > kMax) return std::nullopt;
  return seconds;
}

std::string RunName(size_t index, size_t count) {
  std::string number = std::to_string(index + 1);
  const size_t width = std::max<size_t>(2, std::to_string(count).size());
  return std::string(width - std::min(width, number.size()), '0') + number;
}

std::vector<std::string> CommandOf(const CiRun& run, const CiSide& side) {
  if (side.command.empty()) return run.words;
  std::vector<std::string> argv = {"sh", "-c", side.command};
  if (!run.words.empty()) {
    argv.back() = WithWords(side.command).value_or(side.command);
    argv.emplace_back("sh");
    argv.insert(argv.end(), run.words.begin(), run.words.end());
  }
  return argv;
}

Result<CiRun> ParseCiRun(const std::vector<std::string>& args) {
  const auto dashes = std::find(args.begin(), args.end(), "--");
  CiRun run;
  if (dashes != args.end()) run.words.assign(dashes + 1, args.end());
  SplitArgs split = SplitOptions({args.begin(), dashes});
  std::vector<OptionSpec> specs(std::begin(kSpecs), std::end(kSpecs));
  specs.push_back(option::kHelp);
  const Result<ParsedOptions> parsed = ParseOptions(kCiRunCommand, specs, split.own);
  if (!parsed) return parsed.error();
  run.help = parsed->Has("help");
  if (run.help) return run;
  if (!parsed->operands.empty()) {
    return Error{ErrorId::kUnknownOption,
                 "unexpected argument '" + FitEnd(Printable(parsed->operands[0]), 40) + "'",
                 "write the command after '--'"};
  }
  run.base = {ValueOf(*parsed, "base"), ValueOf(*parsed, "base-dir")};
  run.head = {ValueOf(*parsed, "head"), ValueOf(*parsed, "head-dir")};
  run.baseline = ValueOf(*parsed, "baseline");
  if (const Status of = ReadPerTest(*parsed, run); !of) return of.error();
  if (parsed->Has("output")) run.output = parsed->values.at("output");
  if (run.output.empty()) {
    return BadValue("-o", "the name of a folder", "");
  }
  run.force = parsed->Has("force");
  run.show_output = parsed->Has("show-output");
  run.ignore_failures = parsed->Has("ignore-failures");
  if (const Status numbers = ReadNumbers(*parsed, run); !numbers) return numbers.error();
  if (const Status sides = CheckSides(run); !sides) return sides.error();
  if (const Status lines = CheckLines(run); !lines) return lines.error();
  if (const Status record = ReadRecordOptions(ValueOf(*parsed, "record-options"), run); !record) {
    return record.error();
  }
  run.diff_args = std::move(split.diff);
  return run;
}

Status ReadComparison(CiRun& run) {
  // Pass two existing files as operands, because the profiles do not exist yet.
  std::vector<std::string> args = run.diff_args;
  args.insert(args.end(), {"/dev/null", "/dev/null"});
  Result<DiffCommand> diff = ParseDiff(args);
  if (!diff) return diff.error();
  run.diff = std::move(*diff);
  run.diff.base.clear();
  run.diff.head.clear();
  if (!run.baseline.empty()) run.diff.options.settings.paired = false;
  return Ok();
}

}  // namespace gprofx
