#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <ctime>

#include "cli/report/report.h"
#include "cli/terminal/text.h"
#include "formats/profile_reader.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x report";

constexpr char kUsual[] = "usual";  // what --top alone stands for

constexpr OptionSpec kSpecs[] = {
    {"top", "N", kUsual,
     "the functions with the most self time (the usual view); N rows, usually 20"},
    {"tree", nullptr, nullptr, "the call tree, largest branches first"},
    {"callers", "NAME", nullptr, "who calls the function NAME, as a tree"},
    {"lines", nullptr, nullptr, "the source lines with the most time"},
    {"threads", nullptr, nullptr, "processes and threads, with the state of the GIL"},
    {"by", "WHAT", nullptr, "group by function, line, module, thread, process or kernel"},
    {"limit", "N", nullptr, "rows or tree lines to show"},
    {"metric", "NAME", nullptr,
     "what to count: cpu, wall, samples, gpu, ... (usually the recording's clock)"},
    {"focus", "RE", nullptr, "only stacks with a function or file that matches RE"},
    {"ignore", "RE", nullptr, "without stacks with a function or file that matches RE"},
    {"all-frames", nullptr, nullptr, "also the interpreter's and the C library's own plumbing"},
    {"wide", nullptr, nullptr, "full names, lines may be longer than the screen"},
    {"json", nullptr, nullptr, "stable JSON instead of text"},
    {"color", "WHEN", nullptr, "auto, always or never"},
    {"help,h", nullptr, nullptr, "this text"},
};

Result<size_t> Number(const char* option, const std::string& text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0 ||
      number > 1'000'000'000) {
    return Error{std::string(option) + " takes a number from 1 on, not '" +
                     FitEnd(Printable(text), 40) + "'",
                 std::string("for example ") + option + " 50"};
  }
  return number;
}

Status SetView(const ParsedOptions& parsed, ReportOptions& options) {
  static constexpr struct {
    const char* name;
    View view;
  } kViews[] = {{"top", View::kTop},
                {"tree", View::kTree},
                {"callers", View::kCallers},
                {"lines", View::kLines},
                {"threads", View::kThreads}};
  const char* chosen = nullptr;
  for (const auto& [name, view] : kViews) {
    if (!parsed.Has(name)) continue;
    if (chosen != nullptr) {
      return Error{std::string("--") + chosen + " and --" + name + " are two views",
                   "run one command for each"};
    }
    chosen = name;
    options.view = view;
  }
  if (options.view == View::kCallers) {
    options.callers_of = parsed.values.at("callers");
    if (options.callers_of.empty()) {
      return Error{"--callers needs a name", "'gprof-x report --top' lists the names"};
    }
  }
  return Ok();
}

Status SetGrouping(const ParsedOptions& parsed, ReportOptions& options) {
  const auto found = parsed.values.find("by");
  if (found == parsed.values.end()) return Ok();
  static constexpr struct {
    std::string_view name;
    RowsBy by;
    bool in_tree;
  } kGroupings[] = {{"function", RowsBy::kFunction, true}, {"line", RowsBy::kLine, true},
                    {"module", RowsBy::kModule, true},     {"thread", RowsBy::kThread, false},
                    {"process", RowsBy::kProcess, false},  {"kernel", RowsBy::kKernel, false}};
  for (const auto& [name, by, in_tree] : kGroupings) {
    if (name != found->second) continue;
    options.by = by;
    const bool tree = options.view == View::kTree || options.view == View::kCallers;
    const bool fits = options.view == View::kTop || (tree && in_tree) ||
                      (options.view == View::kThreads && !in_tree && by != RowsBy::kKernel);
    if (fits) return Ok();
    return Error{"--by " + found->second + " does not go with this view", "use it with --top"};
  }
  return Error{"unknown grouping '" + FitEnd(Printable(found->second), 40) + "'",
               "--by takes function, line, module, thread, process or kernel"};
}

Status SetLimit(const ParsedOptions& parsed, ReportOptions& options) {
  for (const char* name : {"top", "limit"}) {
    const auto found = parsed.values.find(name);
    if (found == parsed.values.end() || found->second == kUsual) continue;
    const Result<size_t> number = Number(name[0] == 't' ? "--top" : "--limit", found->second);
    if (!number) return number.error();
    options.limit = *number;
  }
  return Ok();
}

std::string ValueOf(const ParsedOptions& parsed, const char* name) {
  const auto found = parsed.values.find(name);
  return found == parsed.values.end() ? "" : found->second;
}

int64_t RealtimeNow() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int Fail(const Error& error) {
  fprintf(stderr, "%s: %s\n", kCommand, Printable(error.Text()).c_str());
  return 2;
}

int Print(const std::string& text) {
  const bool written = fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && fflush(stdout) == 0) return 0;
  return Fail({"cannot write the report", "is the disk of the output full?"});
}

}  // namespace

std::span<const OptionSpec> ReportOptionSpecs() { return kSpecs; }

std::string ReportHelp() {
  return "Usage: gprof-x report [OPTION...] [FILE]\n"
         "Shows where the time of a recording went. FILE is usually profile.gprofx.\n\n" +
         OptionHelp(kSpecs) +
         "\nA number after --top is N; a FILE that is called like a number is written ./7.\n"
         "See gprof-x-report(1) for the columns and the JSON.\n";
}

Result<ReportCommand> ParseReport(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return parsed.error();
  ReportCommand command;
  if (parsed->Has("help")) {
    command.help = true;
    return command;
  }
  for (const auto set : {&SetView, &SetGrouping, &SetLimit}) {
    const Status status = set(*parsed, command.options);
    if (!status) return status.error();
  }
  if (parsed->operands.size() > 1) {
    return Error{"one FILE at a time, got " + std::to_string(parsed->operands.size()),
                 "run one command for each"};
  }
  if (!parsed->operands.empty()) command.file = parsed->operands[0];
  command.options.metric = ValueOf(*parsed, "metric");
  command.options.focus = ValueOf(*parsed, "focus");
  command.options.ignore = ValueOf(*parsed, "ignore");
  command.options.all_frames = parsed->Has("all-frames");
  command.options.wide = parsed->Has("wide");
  command.options.json = parsed->Has("json");
  if (parsed->Has("color")) {
    const std::optional<ColorWhen> color = ParseColorWhen(parsed->values.at("color"));
    if (!color) {
      return Error{"unknown colour '" + FitEnd(Printable(parsed->values.at("color")), 40) + "'",
                   "--color takes auto, always or never"};
    }
    command.color = *color;
  }
  return command;
}

int RunReport(const std::vector<std::string>& args) {
  const Result<ReportCommand> command = ParseReport(args);
  if (!command) return Fail(command.error());
  if (command->help) return Print(ReportHelp());
  const Result<Profile> profile = [&] {
    ProgressLine progress(STDERR_FILENO);
    progress.Show("reading " + command->file);
    return LoadProfile(command->file);
  }();
  if (!profile) return Fail(profile.error());
  ReportSurroundings around{DetectScreen(STDOUT_FILENO, command->color), command->file,
                            RealtimeNow()};
  const Result<std::string> text = RenderReport(*profile, command->options, around);
  if (!text) return Fail(text.error());
  return Print(*text);
}

}  // namespace gprofx
