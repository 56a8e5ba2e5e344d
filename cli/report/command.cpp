#include <unistd.h>

#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/options/fields.h"
#include "cli/options/part.h"
#include "cli/options/shared.h"
#include "cli/report/html/command.h"
#include "cli/report/interactive/browser.h"
#include "cli/report/load.h"
#include "cli/report/report.h"
#include "cli/report/source_lines.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x report";
constexpr char kWhat[] = "the report";

constexpr char kUsual[] = "usual";  // value that the parser sets if --top has no number

// The options that --help lists. --help-all lists all options.
constexpr char kCommon[] = "top tree callers lines own timeline steps focus json html help";

constexpr OptionSpec kSpecs[] = {
    {"top", "N", kUsual,
     "Show the N functions with the most self time (default: 20). This is the default view."},
    {"tree", nullptr, nullptr, "Show the call tree, largest branches first."},
    {"callers", "NAME", nullptr,
     "Show the callers of the function NAME as a tree. '#3' is row 3 of --top."},
    {"lines", nullptr, nullptr, "Show the source lines with the most time."},
    {"threads", nullptr, nullptr,
     "Show processes and threads, and how long each thread held the GIL."},
    {"interactive,i", nullptr, nullptr, "Browse the call tree. The screen lists the keys."},
    {"ranks", nullptr, nullptr, "Compare the functions with the most self time across ranks."},
    {"timeline", nullptr, nullptr, "Show GPU streams, threads, phases and named ranges over time."},
    {"markers", nullptr, nullptr, "Show the named ranges of the program (NVTX, profiler steps)."},
    {"memory", nullptr, nullptr,
     "Show GPU memory: its peaks, its timeline and the lines that allocate it. To include each "
     "block of PyTorch, record with --memory yes."},
    option::Phase(),
    option::Range(),
    option::Steps(),
    {"by", "WHAT", nullptr,
     "Group by function, line, module, thread, process, kernel, layer, layer-type, operator or "
     "library.",
     "function line module thread process kernel layer layer-type operator library"},
    option::Limit("Show at most N rows or tree lines."),
    option::Metric(
        "Show the metric NAME: cpu, wall, samples, gpu, ... (default: the recording's clock)."),
    {"focus", "RE", nullptr,
     "Include only stacks with a function or file that matches the regular expression RE."},
    {"ignore", "RE", nullptr, "Exclude stacks with a function or file that matches RE."},
    option::View("Select the code to show: mixed, python or native. With python, native time "
                 "counts for the Python line that called the native code. The default is python "
                 "for tables if most of the time has Python frames, and mixed otherwise."),
    {"own", nullptr, nullptr,
     "Show only the program's own code. Self time then includes the time of other code that this "
     "code calls."},
    option::kAllFrames,
    option::Wide(),
    {"verbose,v", nullptr, nullptr, "Show all figures about the quality of the data."},
    option::Json(),
    {"corrected", nullptr, nullptr,
     "Correct host times for the slowdown caused by recording, if this slowdown is known."},
    option::Redact(),
    option::kNoPager,
    option::Html("Write an HTML page that works offline to OUT, or to standard output if OUT is -.",
                 "OUT"),
    {"forecast", "DEVICES", nullptr,
     "With --html, add a tab that forecasts a step on the GPUs DEVICES, such as H200,B200."},
    option::kColor,
    option::kShortHelp,
    option::kHelpAll,
};

Status SetView(const ParsedOptions& parsed, Query& query) {
  static constexpr struct {
    const char* name;
    ViewKind kind;
  } kViews[] = {{"top", ViewKind::kTop},           {"tree", ViewKind::kTree},
                {"callers", ViewKind::kCallers},   {"lines", ViewKind::kLines},
                {"threads", ViewKind::kThreads},   {"ranks", ViewKind::kRanks},
                {"timeline", ViewKind::kTimeline}, {"markers", ViewKind::kMarkers},
                {"memory", ViewKind::kMemory}};
  const char* chosen = nullptr;
  for (const auto& [name, kind] : kViews) {
    if (!parsed.Has(name)) continue;
    if (chosen != nullptr) {
      return CannotCombine(std::string("--") + chosen, std::string("--") + name,
                           "run one command for each");
    }
    chosen = name;
    query.kind = kind;
  }
  if (query.kind == ViewKind::kCallers) {
    query.callers_of = parsed.values.at("callers");
    if (query.callers_of.empty()) {
      return BadValue("--callers", "the name of a function", "",
                      "'gprof-x report --top' lists the names");
    }
  }
  return Ok();
}

Status SetGrouping(const ParsedOptions& parsed, Query& query) {
  const auto found = parsed.values.find("by");
  if (found == parsed.values.end()) return Ok();
  static constexpr struct {
    std::string_view name;
    RowsBy by;
    bool in_tree;
  } kGroupings[] = {
      {"function", RowsBy::kFunction, true}, {"line", RowsBy::kLine, true},
      {"module", RowsBy::kModule, true},     {"thread", RowsBy::kThread, false},
      {"process", RowsBy::kProcess, false},  {"kernel", RowsBy::kKernel, false},
      {"layer", RowsBy::kLayer, false},      {"operator", RowsBy::kOperator, false},
      {"library", RowsBy::kLibrary, false},  {"layer-type", RowsBy::kLayerType, false}};
  for (const auto& [name, by, in_tree] : kGroupings) {
    if (name != found->second) continue;
    query.by = by;
    const bool tree = query.kind == ViewKind::kTree || query.kind == ViewKind::kCallers ||
                      query.kind == ViewKind::kRanks;
    const bool fits =
        query.kind == ViewKind::kTop || (tree && in_tree) ||
        (query.kind == ViewKind::kThreads && !in_tree && by != RowsBy::kKernel && !LevelOf(by));
    if (fits) return Ok();
    return Error{ErrorId::kBadValue,
                 "this view cannot be grouped with '--by " + found->second + "'",
                 "use it with --top"};
  }
  return BadValue(
      "--by",
      "function, line, module, thread, process, kernel, layer, layer-type, operator or library",
      found->second);
}

// A number after --top is a limit too.
Status SetFields(const ParsedOptions& parsed, ReportCommand& command) {
  ReportOptions& options = command.options;
  Query& query = options.query;
  const bool has_number = ValueOf(parsed, "top") != kUsual;
  const Status top = has_number ? ReadOptions(parsed, {{"top", &query.limit}}) : Ok();
  if (!top) return top;
  return ReadOptions(parsed, {{"limit", &query.limit},
                              {"view", &query.code},
                              {"metric", &query.metric},
                              {"focus", &query.focus},
                              {"ignore", &query.ignore},
                              {"all-frames", &query.all_frames},
                              {"own", &query.own},
                              {"wide", &options.wide},
                              {"verbose", &options.verbose},
                              {"json", &options.json},
                              {"no-pager", TurnsOff{&command.pager}},
                              {"redact", &options.redact},
                              {"corrected", &options.corrected},
                              {"interactive", &command.interactive},
                              {"color", &command.color}});
}

// Reads --html and --forecast. Fails if --html is combined with an option that selects a view,
// because a page contains every view.
Status SetHtml(const ParsedOptions& parsed, ReportCommand& command) {
  if (parsed.Has("forecast")) {
    command.forecast = parsed.values.at("forecast");
    if (command.forecast.empty()) {
      return BadValue("--forecast", "the names of GPUs", "", "for example --forecast H200,B200");
    }
    if (parsed.Has("redact")) {
      return CannotCombine("--forecast", "--redact",
                           "make a redacted profile with 'gprof-x redact' first");
    }
    if (!parsed.Has("html")) {
      return NeedsOption("--forecast", "--html",
                         "'gprof-x forecast RECORDING --to DEVICE' prints a forecast");
    }
  }
  if (!parsed.Has("html")) return Ok();
  command.html = parsed.values.at("html");
  if (command.html.empty()) {
    return BadValue("--html", "the name of a file", "", "for example --html run.html");
  }
  for (const char* name :
       {"top", "tree", "callers", "lines", "threads", "ranks", "timeline", "markers", "memory",
        "by", "limit", "own", "json", "wide", "interactive"}) {
    if (!parsed.Has(name)) continue;
    return CannotCombine("--html", std::string("--") + name,
                         "the page has all views; leave --" + std::string(name) + " out");
  }
  return Ok();
}

Status SetPart(const ParsedOptions& parsed, Query& query) {
  const Result<PartQuery> part = ParsePart(parsed);
  if (!part) return part.error();
  query.part = *part;
  // A timeline shows all phases, so its default range is the whole recording.
  if (query.kind == ViewKind::kTimeline && !part->IsPart()) query.part.all = true;
  return Ok();
}

int64_t RealtimeNow() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::span<const OptionSpec> ReportOptionSpecs() { return kSpecs; }

std::string ReportHelp(Help which) {
  return "Usage: gprof-x report [OPTION...] [FILE...]\n"
         "Shows where a recorded program spent its time. FILE defaults to profile.gprofx.\n"
         "Several files, such as the ranks or repetitions of a run, are shown as one.\n\n" +
         OptionHelp(kSpecs, which, kCommon) +
         "\nA number after --top is N. If the name of FILE is a number such as 7, write ./7.\n"
         "See gprof-x-report(1) for the columns and the JSON.\n";
}

Result<ReportCommand> ParseReport(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  ReportCommand command;
  command.help = AskedHelp(*parsed);
  if (command.help != Help::kNone) return command;
  for (const auto set : {&SetView, &SetGrouping, &SetPart}) {
    const Status status = set(*parsed, command.options.query);
    if (!status) return status.error();
  }
  if (!parsed->operands.empty()) command.files = parsed->operands;
  PartQuery& part = command.options.query.part;
  // The steady phases of several recordings are at different times. The default range is therefore
  // the whole of each recording.
  if (command.files.size() > 1 && !part.IsPart()) part.all = true;
  if (const Status read = SetFields(*parsed, command); !read) return read.error();
  for (const char* other : {"view", "all-frames"}) {
    if (parsed->Has("own") && parsed->Has(other))
      return CannotCombine("--own", std::string("--") + other);
  }
  if (command.interactive && command.options.json) {
    return CannotCombine("-i", "--json", "run one command for each");
  }
  if (const Status status = SetHtml(*parsed, command); !status) return status.error();
  return command;
}

namespace {

// Reads the profile into an object that is never destroyed. To free a large profile would take as
// long as to show it, and the process exits anyway.
Result<std::unique_ptr<LoadedReport>>& Read(const ReportCommand& command, const Screen& screen,
                                            std::vector<Error>& left_out) {
  ProgressLine progress(STDERR_FILENO);
  const std::vector<std::string>& files = command.files;
  progress.Show("reading " +
                (files.size() == 1 ? files[0] : std::to_string(files.size()) + " profiles"));
  static auto* const loaded =
      new Result<std::unique_ptr<LoadedReport>>(LoadReport(command, screen, left_out));
  return *loaded;
}

int Show(LoadedReport& loaded, const ReportCommand& command, const Screen& screen) {
  ReportSurroundings around{screen, loaded.profiles.paths(), RealtimeNow(), {}};
  std::vector<SourceText> texts;
  if (!command.options.redact && !command.options.json && command.html.empty()) {
    // Sources are optional: if they cannot be read, the report has none.
    if (Result<std::vector<SourceText>> stored = loaded.source().Sources()) {
      texts = std::move(*stored);
    }
  }
  SourceLines sources(loaded.profile(), texts);
  if (!sources.empty()) {
    around.source_line = [&](std::string_view file, uint32_t line) {
      return sources.Line(file, line);
    };
  }
  if (command.options.redact) {
    for (std::string& file : around.files) file = loaded.redacted->names().Path(file);
    around.files_are_redacted = true;
  }
  if (command.options.query.kind == ViewKind::kTop && !command.options.json) {
    // Findings are optional: if they cannot be read, the report has none.
    Result<std::vector<Finding>> findings = loaded.source().Findings();
    if (findings && around.files.size() == 1) around.findings = std::move(*findings);
  }
  Profile& profile = loaded.profile();
  if (!command.html.empty()) {
    ReportCommand page = command;
    page.files = around.files;
    const Status written = WriteHtml(loaded.source(), profile, page);
    return written ? 0 : Fail(kCommand, written.error());
  }
  if (command.interactive) {
    const auto source = [&](const std::string& file) -> std::optional<std::string> {
      const std::string* text = sources.Text(file);
      return text == nullptr ? std::nullopt : std::optional(*text);
    };
    const Status shown = RunBrowser(profile, command.options.query, source);
    return shown ? 0 : Fail(kCommand, shown.error());
  }
  const Result<std::string> text =
      RenderReport(profile, command.options, around, loaded.Events(command.options, screen));
  if (!text) return Fail(kCommand, text.error());
  return PrintPaged(kCommand, *text, kWhat, command.pager);
}

}  // namespace

int RunReport(const std::vector<std::string>& args) {
  const Result<ReportCommand> command = ParseReport(args);
  if (!command) return Fail(kCommand, command.error());
  if (command->help != Help::kNone) return Print(kCommand, ReportHelp(command->help), kWhat);
  if (!command->html.empty()) {
    if (const Status free = CheckHtml(*command); !free) return Fail(kCommand, free.error());
  }
  const Screen screen = DetectScreen(STDOUT_FILENO, command->color);
  std::vector<Error> left_out;
  Result<std::unique_ptr<LoadedReport>>& read = Read(*command, screen, left_out);
  int status = read ? Show(**read, *command, screen) : Fail(kCommand, read.error());
  // Print the errors about left out files after the pager has ended, because the pager would hide
  // them.
  for (Error error : left_out) {
    error.what = "left out: " + error.what;
    status = Fail(kCommand, error);
  }
  return status;
}

}  // namespace gprofx
