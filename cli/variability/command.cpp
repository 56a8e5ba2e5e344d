#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

#include "cli/command.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "cli/terminal/text.h"
#include "cli/text_file.h"
#include "cli/variability/html/page.h"
#include "cli/variability/ranks_pipe.h"
#include "cli/variability/variability.h"
#include "core/variability/analysis.h"
#include "formats/variability/files.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr char kCommand[] = "gprof-x variability";
constexpr size_t kMaxThreads = 1024;
constexpr size_t kMaxListed = 1'000'000;

constexpr OptionSpec kSpecs[] = {
    {"by", "time|step|rank|device", nullptr,
     "Divide the run into shards by time, step, rank or device (default: step if all ranks have 8 "
     "to 1024 steps, time otherwise)."},
    {"shards", "N", nullptr, "Divide the time into N intervals (default: 10)."},
    {"list", "SHARD", nullptr, "List the executions with the most excess time in the shard SHARD."},
    {"threads", "N", nullptr, "Use N threads per rank (default: one per core)."},
    option::Limit("Show at most N rows of each table (default: 10)."),
    option::Json("Print stable JSON with all rows instead of text."),
    option::Html(
        "Write an HTML page with a heat map, steps, groups and findings to FILE, or to standard "
        "output if FILE is -."),
    option::kNoPager,
    option::kColor,
    {"times", nullptr, nullptr, "Print the CPU time of each pass and rank to standard error."},
    option::kHelp,
};

struct VariabilityCommand {
  Analysis analysis;
  size_t most_rows = 10;
  std::string html;  // file of the page; "" = print text or JSON
  bool times = false;
  bool json = false, pager = true, help = false;
  ColorWhen color = ColorWhen::kAuto;
};

Result<Axis> ParseAxis(const std::string& text) {
  for (const Axis axis : {Axis::kTime, Axis::kStep, Axis::kRank, Axis::kDevice}) {
    if (text == AxisWord(axis)) return axis;
  }
  return BadValue("--by", "time, step, rank or device", text);
}

Result<uint32_t> ParseShard(const std::string& text) {
  uint32_t shard = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), shard);
  if (error == std::errc() && end == text.data() + text.size() && shard < UINT32_MAX) return shard;
  return BadValue("--list", "the number of a shard", text, "for example --list 3");
}

Result<VariabilityCommand> Parse(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  VariabilityCommand command;
  command.help = parsed->Has("help");
  if (command.help) return command;
  if (parsed->Has("by")) {
    const Result<Axis> axis = ParseAxis(ValueOf(*parsed, "by"));
    if (!axis) return axis.error();
    command.analysis.options.axis = *axis;
  }
  size_t shards = command.analysis.options.shards;
  const Status read = ReadOptions(*parsed, {{"shards", &shards, kMaxShards},
                                            {"threads", &command.analysis.threads, kMaxThreads},
                                            {"limit", &command.most_rows},
                                            {"json", &command.json},
                                            {"times", &command.times},
                                            {"no-pager", TurnsOff{&command.pager}},
                                            {"html", &command.html},
                                            {"color", &command.color}});
  if (!read) return read.error();
  command.analysis.options.shards = static_cast<uint32_t>(shards);
  command.analysis.options.most_listed = std::min(command.most_rows, kMaxListed);
  if (parsed->Has("list")) {
    const Result<uint32_t> shard = ParseShard(ValueOf(*parsed, "list"));
    if (!shard) return shard.error();
    command.analysis.options.listed = *shard;
  }
  if (!parsed->Has("threads")) command.analysis.threads = 0;
  if (parsed->Has("shards") && command.analysis.options.axis.value_or(Axis::kTime) != Axis::kTime) {
    return CannotCombine("--shards", "--by " + ValueOf(*parsed, "by"),
                         "--shards divides the time: use it with --by time");
  }
  if (parsed->Has("shards")) command.analysis.options.axis = Axis::kTime;
  if (parsed->Has("html")) {
    if (command.html.empty()) {
      return BadValue("--html", "the name of a file", "", "for example --html page.html");
    }
    if (command.json) {
      return CannotCombine("--html", "--json");
    }
  }
  std::vector<std::string> paths = parsed->operands;
  if (paths.empty()) paths = {"profile.gprofx"};
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const std::string& path : paths) command.analysis.files.push_back(EntryOf(path));
  command.analysis.open = OpenEventFile;
  return command;
}

int WritePage(const std::string& path, const std::string& page) {
  if (path == "-") return Print(kCommand, page, "the page");
  const Status written = ReplaceTextFile(path, page, "--html");
  return written ? 0 : Fail(kCommand, written.error());
}

int Show(const VariabilityCommand& command, const Model& model) {
  for (const std::string& problem : model.problems) {
    fprintf(stderr, "%s: %s\n", kCommand, Printable(problem).c_str());
  }
  if (model.lanes.empty() && model.partial) return 2;  // no file could be read
  if (model.lanes.empty()) {
    return Fail(kCommand, {ErrorId::kNotRecorded, "no file contains GPU work to compare",
                           "record a program that uses a GPU"});
  }
  if (model.listed && *model.listed >= model.shards.size()) {
    return Fail(kCommand, {ErrorId::kNotFound, "there is no shard " + std::to_string(*model.listed),
                           "the shards are 0 to " + std::to_string(model.shards.size() - 1)});
  }
  if (!command.html.empty()) {
    const int made = WritePage(command.html, VariabilityPage(model));
    return made != 0 ? made : model.partial ? 2 : 0;
  }
  const Screen screen = DetectScreen(STDOUT_FILENO, command.color);
  const int printed = command.json
                          ? Print(kCommand, VariabilityJson(model), "the analysis")
                          : PrintPaged(kCommand, VariabilityText(model, screen, command.most_rows),
                                       "the analysis", command.pager);
  return printed != 0 ? printed : model.partial ? 2 : 0;
}

// Returns the CPU time of all threads of this process. Unlike wall time, it does not depend on
// other programs.
int64_t ProcessorNs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void TellTimes(uint32_t rank, const PassTimes& times, int64_t print) {
  const auto ms = [](int64_t ns) { return static_cast<double>(ns) / 1e6; };
  fprintf(
      stderr,
      "%s: rank %u: survey %.1f ms, exchange %.1f ms, tally %.1f ms, reduce %.1f ms, plan %.1f ms, "
      "model %.1f ms, print %.1f ms\n",
      kCommand, rank, ms(times.survey), ms(times.exchange), ms(times.tally), ms(times.reduce),
      ms(times.plan), ms(times.model), ms(print));
}

}  // namespace

std::span<const OptionSpec> VariabilityOptionSpecs() { return kSpecs; }

std::string VariabilityHelp() {
  return "Usage: gprof-x variability [OPTION...] [FILE...]\n"
         "       mpirun -n P gprof-x variability [OPTION...] FILE...\n"
         "Shows how the duration of GPU work varies by time, step, rank or GPU, and why.\n\n" +
         OptionHelp(kSpecs) +
         "\nFILE is a profile (.gprofx), an export of Nsight Systems (SQLite), a trace of\n"
         "the PyTorch profiler (JSON, plain or gzip) or a table of ncu --csv --page raw.\n"
         "See gprof-x-variability(1) for the method.\n";
}

int RunVariability(const std::vector<std::string>& args) {
  Result<VariabilityCommand> command = Parse(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help) return Print(kCommand, VariabilityHelp(), "the help");
  Result<std::optional<RankConnection>> connection = ConnectRanks();
  if (!connection) return Fail(kCommand, connection.error());
  if (!*connection && IsOneOfManyRanks()) return Fail(kCommand, BecomeRank(args));
  Ranks alone;
  Ranks& ranks = *connection ? *(*connection)->ranks : alone;
  if (command->analysis.threads == 0) {
    const size_t cores = std::max<size_t>(std::thread::hardware_concurrency(), 1);
    const size_t shared_by = *connection ? (*connection)->on_this_host : 1;
    command->analysis.threads = std::max<size_t>(cores / shared_by, 1);
  }
  if (command->times) command->analysis.clock = ProcessorNs;
  PassTimes times;
  const Result<std::optional<Model>> model = Analyze(command->analysis, ranks, &times);
  if (!model) return Fail(kCommand, model.error());
  const int64_t before = ProcessorNs();
  const int status = *model ? Show(*command, **model) : 0;
  if (command->times) TellTimes(ranks.rank(), times, ProcessorNs() - before);
  return status;
}

}  // namespace gprofx
