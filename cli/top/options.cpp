#include "cli/top/options.h"

#include <charconv>
#include <optional>

#include "cli/command.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "cli/record.h"
#include "cli/top/top.h"

namespace gprofx {
namespace {

// Default sampling rate in Hz. With it, 1 % of a core is about two samples in a second. A higher
// rate would cost the program and gprof-x more.
constexpr char kUsualRate[] = "199";

// The options that --help lists. --help-all lists all options.
constexpr char kCommon[] = "pid attach interval once json table clock gpu help";

constexpr OptionSpec kSpecs[] = {
    option::Pid("Show the running process PID."),
    option::Attach("Show the process whose command line contains WORDS."),
    {"interval,i", "S", nullptr, "Print a new table every S seconds, 0.2 to 60 (default: 1)."},
    {"once", nullptr, nullptr, "Print one table, then exit."},
    option::Json("Print JSON: one document with --once, and one document per line otherwise."),
    {"table", "TABLE", nullptr,
     "Start with this table: functions, lines, native or kernels (default: functions).",
     "functions lines native kernels"},
    {"sort", "ORDER", nullptr, "Sort by self, total, since-start or name (default: self).",
     "self total since-start name"},
    {"focus", "TEXT", nullptr,
     "Show only stacks with a function or file whose name contains TEXT."},
    option::Frequency(
        "Take HZ samples per second, 1 to 20000 (default: 199; 50 with --clock wall)."),
    option::kClock,
    option::Gpu("Record the GPU as gprof-x record does (default: trace)."),
    option::Overhead("Limit the slowdown caused by recording to PERCENT (default: 5)."),
    option::Children("Show child processes too (default: yes; no with --pid)."),
    option::Output("Write the profile to FILE if the key d is pressed (default: profile.gprofx)."),
    option::kForceProfile,
    {"program-output", "FILE", nullptr,
     "Write the output of COMMAND to FILE. Without this option, output to the terminal is "
     "discarded. If COMMAND fails, its last lines of output are shown at the end."},
    option::kShortHelp,
    option::kHelpAll,
};

Status ReadInterval(const ParsedOptions& parsed, TopOptions& options) {
  constexpr double kMin = 0.2, kMax = 60;
  if (!parsed.Has("interval")) return Ok();
  const std::string& text = parsed.values.at("interval");
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool good = error == std::errc() && end == text.data() + text.size();
  if (!good || !(seconds >= kMin) || !(seconds <= kMax)) {
    return BadValue("--interval", "a number of seconds from 0.2 to 60", text);
  }
  options.interval = static_cast<HostNs>(seconds * 1e9);
  return Ok();
}

Status ReadView(const ParsedOptions& parsed, TopScreen& begin) {
  if (parsed.Has("table")) {
    const auto table = ParseTable(parsed.values.at("table"));
    if (!table) {
      return BadValue("--table", "functions, lines, native or kernels", ValueOf(parsed, "table"));
    }
    begin.table = *table;
  }
  if (parsed.Has("sort")) {
    const auto sort = ParseSort(parsed.values.at("sort"));
    if (!sort) {
      return BadValue("--sort", "self, total, since-start or name", ValueOf(parsed, "sort"));
    }
    begin.sort = *sort;
  }
  return Ok();
}

// Returns the arguments of the gprof-x record command that has the same effect.
std::vector<std::string> RecordArguments(const ParsedOptions& parsed,
                                         const std::vector<std::string>& command) {
  std::vector<std::string> args = {"--timeline", "no"};
  const bool wall = ValueOf(parsed, "clock") == "wall";
  if (!parsed.Has("frequency") && !wall) args.insert(args.end(), {"--frequency", kUsualRate});
  if (!parsed.Has("gpu")) args.insert(args.end(), {"--gpu", "trace"});
  for (const char* name :
       {"pid", "attach", "frequency", "clock", "gpu", "overhead", "children", "output"}) {
    if (!parsed.Has(name)) continue;
    args.push_back("--" + std::string(name));
    args.push_back(parsed.values.at(name));
  }
  if (parsed.Has("force")) args.emplace_back("--force");
  args.emplace_back("--");
  args.insert(args.end(), command.begin(), command.end());
  return args;
}

}  // namespace

std::span<const OptionSpec> TopOptionSpecs() { return kSpecs; }

std::string TopHelp(Help which) {
  return "Usage: gprof-x top [OPTION...] --pid PID | --attach 'WORDS'\n"
         "       gprof-x top [OPTION...] [--] COMMAND [ARG...]\n"
         "Shows the time that a program spends in Python lines, native functions and GPU\n"
         "kernels, and why the GPU is idle. On a terminal, keys control the screen.\n"
         "Otherwise, the command prints a block of text for each interval.\n\n" +
         OptionHelp(kSpecs, which, kCommon) +
         "\nKeys: q quit, s sort, tab or f l n g table, / focus, space pause, d write a\n"
         "profile, ? help. q interrupts COMMAND, but leaves PID running.\n";
}

Result<TopOptions> ParseTop(const std::vector<std::string>& args) {
  const size_t start = CommandStart(kSpecs, args);
  const bool dashes = start > 0 && args[start - 1] == "--";
  const auto own_end = args.begin() + static_cast<std::ptrdiff_t>(start - (dashes ? 1 : 0));
  const auto parsed = ParseOptions(kTopCommand, kSpecs, {args.begin(), own_end});
  if (!parsed) return parsed.error();
  TopOptions options;
  options.help = AskedHelp(*parsed);
  if (options.help != Help::kNone) return options;
  const Status fields = ReadOptions(*parsed, {{"once", &options.once},
                                              {"json", &options.json},
                                              {"focus", &options.begin.focus},
                                              {"program-output", &options.program_output}});
  if (!fields) return fields.error();
  if (const Status read = ReadInterval(*parsed, options); !read) return read.error();
  if (const Status read = ReadView(*parsed, options.begin); !read) return read.error();
  const std::vector<std::string> command(args.begin() + static_cast<std::ptrdiff_t>(start),
                                         args.end());
  const bool attaches = parsed->Has("pid") || parsed->Has("attach");
  if (!attaches && (command.empty() || command[0].empty())) {
    return Error{ErrorId::kBadOperands, "no process or command is given",
                 "run gprof-x top --pid PID, or gprof-x top -- COMMAND [ARG...]"};
  }
  if (attaches && parsed->Has("program-output")) {
    return CannotCombine("--program-output", parsed->Has("pid") ? "--pid" : "--attach",
                         "only a program that gprof-x starts writes its output there");
  }
  auto record = ParseRecord(RecordArguments(*parsed, command));
  if (!record) return record.error();
  options.record = record->options;
  options.attach = record->attach;
  return options;
}

}  // namespace gprofx
