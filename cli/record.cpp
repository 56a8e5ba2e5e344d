#include "cli/record.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "cli/analyze/findings.h"
#include "cli/command.h"
#include "cli/errors/catalogue.h"
#include "cli/options.h"
#include "cli/options/shared.h"
#include "cli/record/add_findings.h"
#include "cli/record/counters.h"
#include "cli/record/last.h"
#include "cli/record/lines.h"
#include "cli/record/messages.h"
#include "cli/record/output_name.h"
#include "cli/record/series_options.h"
#include "cli/terminal/text.h"
#include "core/base/file_io.h"
#include "samplers/attach/python/find_command.h"

namespace gprofx {
namespace {

constexpr char kRecordCommand[] = "gprof-x record";

constexpr double kMinOverhead = 0.1;  // percent

// The options that --help lists. --help-all lists all options.
constexpr char kCommon[] =
    "output frequency clock gpu overhead pid children duration last quiet help";

constexpr OptionSpec kOptions[] = {
    option::Output(
        "Write the profile to FILE (default: profile.gprofx). In FILE, %p, %h, %t and %r stand for "
        "process ID, host, time and rank."),
    option::kForceProfile,
    option::Frequency(
        "Take HZ samples per second, 1 to 20000 (default: 997; 50 with --clock wall)."),
    option::kClock,
    {"python", "auto|off", nullptr, "Read Python frames (default: auto)."},
    option::Gpu("Record GPU kernels: with instruction samples (pc), without them (trace) or not at "
                "all (off). The default, auto, samples instructions if this is permitted."),
    {"pc-period", "auto|N", nullptr,
     "Sample GPU instructions every 2^N cycles. N is 5 to 31 (default: auto)."},
    option::Overhead("Limit the slowdown caused by recording to PERCENT (default: 5). With none, "
                     "record everything all the time."),
    {"memory", "yes|no", nullptr,
     "Record each block of GPU memory that PyTorch allocates, with its call path (default: no). "
     "Recording a block takes time."},
    {"counters", nullptr, nullptr,
     "Run COMMAND a second time under ncu to measure FLOP and bytes of the kernels with the most "
     "time."},
    option::Children("Record child processes too (default: yes; no with --pid)."),
    option::Pid("Record the running process PID until --duration has passed, Ctrl-C is pressed or "
                "the process ends."),
    option::Attach("Record the process whose command line contains WORDS."),
    {"delay", "S", nullptr, "Start sampling after S seconds."},
    {"duration", "S", nullptr,
     "Sample for S seconds. The program then continues without a recording. With --pid, the "
     "profile is written after S seconds."},
    {"last", "TIME", nullptr,
     "Keep only the data of the last TIME (such as 5m), and at most 512 MB. Write this data on "
     "SIGUSR2 and at the end."},
    {"when", "RULE", nullptr,
     "With --last, also write the kept data when RULE becomes true. Examples: step>1.5*p99 or "
     "rss>20G.",
     nullptr, true},
    {"control", "fifo:CTL[,ACK]", nullptr,
     "Read the commands enable, disable and level from the FIFO CTL. After each command, write ack "
     "to the FIFO ACK."},
    {"no-arguments", nullptr, nullptr,
     "Do not store arguments of commands, except the name of a script. Arguments that look like "
     "secrets are never stored."},
    {"label", "TEXT", nullptr, "Name this run TEXT in comparisons of several runs."},
    {"sweep", "'NAME=V1 V2 ...'", nullptr,
     "Run COMMAND once for each value of the environment variable NAME, and write a profile of "
     "each run."},
    {"levels", "SETS", nullptr,
     "Run COMMAND with each set of recording levels in SETS, such as M,ML,MLK,MLKI,default, to "
     "measure the cost of each level."},
    {"repeat", "N", nullptr, "Run each set of --levels N times (default: 5)."},
    {"timeline", "yes|no", nullptr,
     "Store the time of each sample and the named ranges (default: yes)."},
    {"debuginfod", nullptr, nullptr,
     "Download debug information from the servers in $DEBUGINFOD_URLS."},
    {"no-cache", nullptr, nullptr, "Do not use the symbol cache."},
    option::kQuiet,
    {"verbose,v", nullptr, nullptr, "Print more messages."},
    option::kShortHelp,
    option::kHelpAll,
};

template <class T>
std::optional<T> Number(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// Reads an option that has two values. Sets `out` to true for `yes` and to false for `no`. If the
// option was not given, leaves `out` unchanged.
Status ReadChoice(const ParsedOptions& parsed, const std::string& name, const char* yes,
                  const char* no, bool& out) {
  const auto it = parsed.values.find(name);
  if (it == parsed.values.end()) return Ok();
  if (it->second != yes && it->second != no) {
    return BadValue("--" + name, std::string(yes) + " or " + no, it->second);
  }
  out = it->second == yes;
  return Ok();
}

Status ReadRate(const ParsedOptions& parsed, PlanRequest& plan) {
  plan.rate = plan.wall_clock ? kDefaultWallRate : kDefaultRate;
  const auto it = parsed.values.find("frequency");
  if (it == parsed.values.end()) return Ok();
  const auto rate = Number<double>(it->second);
  if (!rate || !(*rate >= kMinRate) || !(*rate <= kMaxRate)) {
    return BadValue("--frequency", "a rate from 1 to 20000 samples per second", it->second);
  }
  plan.rate = static_cast<uint32_t>(*rate + 0.5);
  plan.rate_is_asked = true;
  return Ok();
}

Status ReadSeconds(const ParsedOptions& parsed, const std::string& name, bool zero, double& out) {
  const auto it = parsed.values.find(name);
  if (it == parsed.values.end()) return Ok();
  const auto seconds = Number<double>(it->second);
  constexpr double kMax = 1e8;
  if (!seconds || !(*seconds >= 0) || !(*seconds <= kMax) || (!zero && *seconds == 0)) {
    return BadValue("--" + name, "a number of seconds", it->second, "for example 2.5");
  }
  out = *seconds;
  return Ok();
}

Status ReadOutput(const ParsedOptions& parsed, recorder::RecordOptions& options) {
  const auto it = parsed.values.find("output");
  if (it == parsed.values.end()) return Ok();
  if (it->second == "-") {
    return Error{ErrorId::kNotStreamable,
                 "cannot write a profile to standard output: it is a database",
                 "name a file with -o, and copy it afterwards"};
  }
  auto name = record::ExpandName(it->second, record::FactsOfThisProcess());
  if (!name) return name.error();
  if (name->empty()) {
    return Error{ErrorId::kBadOperands, "option '-o' needs the name of a file, not ''",
                 "name the profile to write"};
  }
  options.output = std::move(*name);
  options.named = true;
  return Ok();
}

Status ReadOverhead(const ParsedOptions& parsed, GpuRequest& gpu) {
  const auto it = parsed.values.find("overhead");
  if (it == parsed.values.end()) return Ok();
  const auto percent = Number<double>(it->second);
  if (it->second == "none") {
    gpu.budget = 0;
  } else if (percent && *percent >= kMinOverhead && *percent <= 100) {
    gpu.budget = static_cast<uint32_t>(*percent * 10 + 0.5);
  } else {
    return BadValue("--overhead", "a percentage from 0.1 to 100, or none", it->second,
                    "it limits the slowdown of the program; none removes the limit");
  }
  return Ok();
}

Status ReadGpu(const ParsedOptions& parsed, GpuRequest& gpu) {
  constexpr std::pair<const char*, GpuChoice> kChoices[] = {{"auto", GpuChoice::kAuto},
                                                            {"trace", GpuChoice::kTrace},
                                                            {"pc", GpuChoice::kPc},
                                                            {"off", GpuChoice::kOff}};
  if (const auto it = parsed.values.find("gpu"); it != parsed.values.end()) {
    const auto* choice = std::find_if(std::begin(kChoices), std::end(kChoices),
                                      [&](const auto& c) { return it->second == c.first; });
    if (choice == std::end(kChoices)) {
      return BadValue("--gpu", "auto, trace, pc or off", it->second);
    }
    gpu.choice = choice->second;
  }
  if (Status read = ReadOverhead(parsed, gpu); !read) return read;
  const auto it = parsed.values.find("pc-period");
  if (it == parsed.values.end() || it->second == "auto") return Ok();
  const auto period = Number<uint32_t>(it->second);
  if (!period || *period < kMinPcPeriod || *period > kMaxPcPeriod) {
    return BadValue("--pc-period", "auto or a number from 5 to 31", it->second,
                    "N takes a sample every 2^N cycles");
  }
  gpu.pc_period = *period;
  return Ok();
}

// Reads the options that attach to a running process instead of starting a command.
Status ReadTarget(const ParsedOptions& parsed, recorder::RecordOptions& options,
                  ParsedRecord& record) {
  const auto pid = parsed.values.find("pid");
  const auto words = parsed.values.find("attach");
  const bool both = pid != parsed.values.end() && words != parsed.values.end();
  if (pid == parsed.values.end() && words == parsed.values.end()) return Ok();
  const std::string name = pid != parsed.values.end() ? "--pid" : "--attach";
  if (both) {
    return CannotCombine("--pid", "--attach");
  }
  if (!options.command.empty()) {
    return Error{ErrorId::kConflict, "option '" + name + "' and a command cannot be combined",
                 "leave one of them out"};
  }
  for (const char* other : {"memory", "counters", "sweep", "levels", "repeat"}) {
    if (parsed.values.contains(other)) {
      return CannotCombine("--" + std::string(other), name,
                           "--" + std::string(other) + " needs a program that gprof-x starts");
    }
  }
  if (!parsed.values.contains("children")) options.plan.follow_children = false;
  if (words != parsed.values.end()) {
    if (words->second.empty()) {
      return BadValue("--attach", "words of a command line", "", "for example --attach train.py");
    }
    record.attach = words->second;
    return Ok();
  }
  const auto number = Number<int32_t>(pid->second);
  if (!number || *number <= 0) {
    return BadValue("--pid", "a process ID", pid->second);
  }
  options.pid = *number;
  return Ok();
}

// Prints a line to stderr. Catches a lack of memory, because printing must not affect the program's
// result.
void PrintLine(const std::string& line) noexcept {
  try {
    std::fprintf(stderr, "%s\n", Printable(line).c_str());
  } catch (const std::exception&) {
    std::fprintf(stderr, "gprof-x: cannot print a line: out of memory\n");
  }
}

int Fail(const Error& error) {
  PrintLine(std::string(kRecordCommand) + ": " + error.TextWithId());
  return recorder::kStatusFailed;
}

// Runs the program a second time to measure its kernels. Never changes the exit status of gprof-x
// record.
void MeasureKernels(const std::string& ncu, const std::string& profile,
                    const std::vector<std::string>& command, int status,
                    record::Lines& lines) noexcept {
  try {
    if (status != 0) {
      lines.Say("no counters are measured: the program failed");
    } else if (profile.empty()) {
      lines.Say("no counters are measured: the program did not use a GPU");
    } else {
      record::AddCounters(ncu, profile, command, lines);
    }
  } catch (const std::exception&) {
    std::fprintf(stderr, "gprof-x: no counters are measured: out of memory\n");
  }
}

std::string RecordHelp(Help which) {
  return "Usage: gprof-x record [OPTION...] [--] COMMAND [ARG...]\n"
         "       gprof-x record [OPTION...] --pid PID | --attach 'WORDS'\n"
         "Runs COMMAND, or attaches to a running process, and records where its time goes.\n\n" +
         OptionHelp(kOptions, which, kCommon) +
         "\nExit status: that of COMMAND (128+N if signal N ended it), 125 if gprof-x fails,\n"
         "126 if COMMAND is not executable, 127 if COMMAND is not found.\n";
}

}  // namespace

Result<ParsedRecord> ParseRecord(const std::vector<std::string>& args) {
  const size_t start = CommandStart(kOptions, args);
  const bool dashes = start > 0 && args[start - 1] == "--";
  const std::vector<std::string> own(
      args.begin(), args.begin() + static_cast<std::ptrdiff_t>(start - (dashes ? 1 : 0)));
  auto parsed = ParseOptions(kRecordCommand, kOptions, own);
  if (!parsed) return parsed.error();
  ParsedRecord record;
  record.help = AskedHelp(*parsed);
  if (record.help != Help::kNone) return record;
  if (parsed->Has("quiet") && parsed->Has("verbose")) {
    return CannotCombine("-q", "-v");
  }
  record.verbosity = parsed->Has("quiet") ? -1 : parsed->Has("verbose") ? 1 : 0;
  recorder::RecordOptions& options = record.options;
  options.command.assign(args.begin() + static_cast<std::ptrdiff_t>(start), args.end());
  options.force = parsed->Has("force");
  if (const auto it = parsed->values.find("control"); it != parsed->values.end())
    options.control = it->second;
  if (const auto it = parsed->values.find("label"); it != parsed->values.end())
    options.label = it->second;
  if (parsed->Has("no-arguments")) options.arguments = Arguments::kLeftOut;
  record.counters = parsed->Has("counters");
  options.use_debuginfod = parsed->Has("debuginfod");
  options.use_cache = !parsed->Has("no-cache");
  const Status steps[] = {
      ReadChoice(*parsed, "clock", "wall", "cpu", options.plan.wall_clock),
      ReadChoice(*parsed, "python", "auto", "off", options.plan.python),
      ReadChoice(*parsed, "children", "yes", "no", options.plan.follow_children),
      ReadChoice(*parsed, "timeline", "yes", "no", options.timeline),
      ReadChoice(*parsed, "memory", "yes", "no", options.memory),
      ReadRate(*parsed, options.plan),
      ReadGpu(*parsed, options.gpu),
      ReadSeconds(*parsed, "delay", true, options.delay_s),
      ReadSeconds(*parsed, "duration", false, options.duration_s),
  };
  for (const Status& step : steps) {
    if (!step) return step.error();
  }
  if (Status named = ReadOutput(*parsed, options); !named) return named.error();
  if (Status read = record::ReadLast(*parsed, options); !read) return read.error();
  if (Status read = ReadTarget(*parsed, options, record); !read) return read.error();
  const bool attaches = options.pid != 0 || !record.attach.empty();
  if (attaches) return record;
  if (options.command.empty() || options.command[0].empty()) {
    return Error{ErrorId::kBadOperands, "no command is given",
                 "run gprof-x record [OPTION...] -- COMMAND [ARG...]"};
  }
  if (record.counters && options.gpu.choice == GpuChoice::kOff) {
    return CannotCombine("--counters", "--gpu off");
  }
  if (Status read = record::ReadSeries(*parsed, record); !read) return read.error();
  return record;
}

// Returns the path of the agent. It is in ../lib/gprof-x, relative to the folder of the program, in
// an installation as well as in a bundle and a build folder.
Result<std::string> FindAgent() {
  std::string folder = OwnPath();
  if (folder.empty()) {
    return Error{ErrorId::kBadInstallation, "cannot find where gprof-x is installed",
                 "check that /proc is mounted"};
  }
  for (int up = 0; up < 2; ++up) folder.resize(folder.rfind('/'));
  const std::string agent = folder + "/lib/gprof-x/libgprofx-agent.so";
  if (access(agent.c_str(), R_OK) != 0) {
    return Error{ErrorId::kBadInstallation, "cannot read '" + agent + "': " + strerror(errno),
                 "install gprof-x with its lib folder"};
  }
  if (agent.find_first_of(" :") != std::string::npos) {
    return Error{ErrorId::kBadInstallation,
                 "gprof-x is installed in '" + folder + "', which has a blank or colon in its name",
                 "move it: LD_PRELOAD cannot name that folder"};
  }
  return agent;
}

std::span<const OptionSpec> RecordOptionSpecs() { return kOptions; }

int RunRecord(std::vector<std::string> args) {
  auto parsed = ParseRecord(args);
  if (!parsed) return Fail(parsed.error());
  if (parsed->help != Help::kNone)
    return Print(kRecordCommand, RecordHelp(parsed->help), "the help");
  auto agent = FindAgent();
  if (!agent) return Fail(agent.error());
  recorder::RecordOptions& options = parsed->options;
  Result<std::string> ncu = std::string();
  if (parsed->counters) ncu = record::FindNcu([](const char* name) { return getenv(name); });
  if (!ncu) return Fail(ncu.error());
  if (!parsed->runs.empty()) {
    return record::RunSeries(parsed->runs, parsed->of_each, options.command, parsed->compare,
                             parsed->verbosity < 0, PrintLine);
  }
  if (!parsed->attach.empty()) {
    auto chosen = attach::FindCommand(parsed->attach, getppid());
    if (!chosen) return Fail(chosen.error());
    options.pid = chosen->pid();
    options.process = std::make_shared<attach::ProcessHandle>(std::move(*chosen));
  }
  options.agent = *agent;
  options.rank = record::RankOfThisProcess();
  record::Lines lines(static_cast<record::Lines::Verbosity>(parsed->verbosity + 1),
                      isatty(STDERR_FILENO) != 0, PrintLine);
  record::Messages messages(lines, parsed->verbosity > 0);
  const int status = Record(options, messages);
  if (parsed->counters)
    MeasureKernels(*ncu, messages.gpu_profile(), options.command, status, lines);
  if (!messages.gpu_profile().empty()) {
    record::AddFindings(messages.gpu_profile(), parsed->verbosity > 0, lines, StoreFindings);
  }
  return status;
}

}  // namespace gprofx
