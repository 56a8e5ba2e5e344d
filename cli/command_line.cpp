#include "cli/command_line.h"

#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/analyze/analyze.h"
#include "cli/annotate/annotate.h"
#include "cli/ci/ci.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/demo/demo.h"
#include "cli/diff/diff.h"
#include "cli/doctor/doctor.h"
#include "cli/errors/catalogue.h"
#include "cli/export.h"
#include "cli/forecast/forecast.h"
#include "cli/import/import.h"
#include "cli/mcp/mcp.h"
#include "cli/merge/merge.h"
#include "cli/record.h"
#include "cli/redact/redact.h"
#include "cli/report/report.h"
#include "cli/terminal/nearest_word.h"
#include "cli/terminal/text.h"
#include "cli/top/top.h"
#include "cli/variability/variability.h"

namespace gprofx {
namespace {

constexpr int kCannotRead = 2;
constexpr int kCannotRecord = 125;

int Record(const std::vector<std::string>& args) { return RunRecord(args); }

struct Command {
  const char* name;
  const char* help;
  int failure;  // exit status after an unexpected exception
  int (*run)(const std::vector<std::string>& args);
  std::span<const OptionSpec> (*options)();  // for completion; nullptr = none
  const char* words = "";                    // the operands of the command, if they are not files
  // True if the command starts programs, which would inherit ignored signals.
  bool starts_programs = false;
};

int RunCompletion(const std::vector<std::string>& args);

constexpr Command kCommands[] = {
    {"record", "Run a command and record where its time goes.", kCannotRecord, &Record,
     &RecordOptionSpecs, "", true},
    {"top", "Show live where a running program spends its time.", kCannotRecord, &RunTop,
     &TopOptionSpecs, "", true},
    {"report", "Show where a recorded program spent its time.", kCannotRead, &RunReport,
     &ReportOptionSpecs},
    {"annotate", "Show the samples of a GPU kernel by line and by instruction.", kCannotRead,
     &RunAnnotate, &AnnotateOptionSpecs},
    {"analyze", "Find what slows a model down, by step, layer, operator and kernel.", kCannotRead,
     &RunAnalyze, &AnalyzeOptionSpecs},
    {"diff", "Compare two recordings, and show how certain each change is.", kCannotRead, &RunDiff,
     &DiffOptionSpecs},
    {"ci", "Compare two versions of a program to find performance regressions.", kCannotRead,
     &RunCi, &CiOptionSpecs, "run baseline history", true},
    {"export", "Convert a recording to the format of another tool.", kCannotRead, &RunExport,
     &ExportOptionSpecs},
    {"import", "Convert another tool's trace to a profile.", kCannotRead, &RunImport,
     &ImportOptionSpecs},
    {"forecast", "Forecast how long GPU work takes on another GPU.", kCannotRead, &RunForecast,
     &ForecastOptionSpecs},
    {"variability", "Explain why the same GPU work varies in duration.", kCannotRead,
     &RunVariability, &VariabilityOptionSpecs},
    {"merge", "Merge the profiles of many ranks into one.", kCannotRead, &RunMerge,
     &MergeOptionSpecs},
    {"redact", "Copy a profile without data that identifies its owner.", kCannotRead, &RunRedact,
     &RedactOptionSpecs},
    {"mcp", "Serve recordings to assistants (Model Context Protocol).", kCannotRead, &RunMcp,
     &McpOptionSpecs},
    {"doctor", "Check whether this machine can record.", kCannotRead, &RunDoctor,
     &DoctorOptionSpecs, "", true},
    {"demo", "Record a small built-in program and show the report.", kCannotRead, &RunDemo,
     &DemoOptionSpecs, "", true},
    {"completion", "Print the completion script of a shell.", kCannotRead, &RunCompletion, nullptr,
     "bash zsh fish"},
};

const Command* Find(const std::string& name) {
  for (const Command& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

int Run(const Command& command, const std::vector<std::string>& args) {
  // Ignore SIGXFSZ. A write that exceeds the file size limit then fails with an error, which can be
  // reported.
  if (!command.starts_programs) signal(SIGXFSZ, SIG_IGN);
  try {
    return command.run(args);
  } catch (const std::exception& error) {
    Fail(("gprof-x " + std::string(command.name)).c_str(), ErrorOf(error));
    return command.failure;
  }
}

int Unknown(const std::string& what, const std::string& name) {
  std::vector<std::string> names = {"help", "--help", "--version"};
  for (const Command& command : kCommands) names.emplace_back(command.name);
  return Fail(
      "gprof-x",
      {ErrorId::kUnknownOption, "unknown " + what + " '" + FitEnd(Printable(name), 60) + "'",
       DidYouMean(NearestWord(name, names)) + "'gprof-x --help' lists the commands"});
}

int Print(const std::string& text) { return gprofx::Print("gprof-x", text, "the text"); }

int Explain(const std::string& about) {
  if (about == "help" || about == "--help" || about == "-h") return Print(MainHelp());
  if (about == "errors") return Print(AllErrorsHelp());
  if (const ErrorClass* error = ClassWithId(about)) return Print(ErrorHelp(*error));
  if (const Command* command = Find(about)) return Run(*command, {"--help"});
  if (about.starts_with("GX-") || about.starts_with("gx-")) {
    return Fail("gprof-x",
                {ErrorId::kUnknownOption, "unknown error ID '" + FitEnd(Printable(about), 60) + "'",
                 "'gprof-x help errors' lists them"});
  }
  return Unknown("command", about);
}

}  // namespace

namespace {

constexpr char kCompletionHelp[] =
    "Usage: gprof-x completion bash|zsh|fish\n"
    "Prints a script that makes the shell complete commands, options and values.\n\n"
    "  bash:  source <(gprof-x completion bash)\n"
    "  zsh:   source <(gprof-x completion zsh)        (after compinit)\n"
    "  fish:  gprof-x completion fish | source\n\n"
    "Packages and 'cmake --install' install these scripts for all three shells.\n";

int RunCompletion(const std::vector<std::string>& args) {
  const std::string shell = args.size() == 1 ? args[0] : "";
  if (shell == "--help" || shell == "-h") return Print(kCompletionHelp);
  std::vector<CompletedCommand> commands;
  for (const Command& command : kCommands) {
    const auto options = command.options;
    commands.push_back({command.name, command.help,
                        options != nullptr ? options() : std::span<const OptionSpec>(),
                        command.words});
  }
  const std::optional<std::string> script = CompletionScript(shell, commands);
  if (script) return Print(*script);
  return Fail("gprof-x completion",
              {ErrorId::kBadValue, "exactly one shell is needed", "name bash, zsh or fish"});
}

}  // namespace

std::string MainHelp() {
  std::string out =
      "Usage: gprof-x COMMAND [OPTION...]\n"
      "Records where a program's time goes, from Python lines down to C++ functions.\n\n";
  for (const Command& command : kCommands) {
    std::string line = "  " + std::string(command.name);
    line.resize(14, ' ');
    out += line + command.help + "\n";
  }
  out +=
      "  help        Explain a command (gprof-x help record) or the ID of an error\n"
      "              (gprof-x help GX-0201).\n\n"
      "  --help      Print this text.\n"
      "  --version   Print the version.\n\n"
      "Start with: gprof-x record -- python train.py && gprof-x report\n";
  return out;
}

int RunCommandLine(const std::vector<std::string>& args) {
  if (args.empty()) {
    return Fail("gprof-x", {ErrorId::kBadOperands, "no command is given",
                            "'gprof-x --help' lists the commands"});
  }
  const std::string& first = args[0];
  if (first == "--help" || first == "-h" || (first == "help" && args.size() == 1)) {
    return Print(MainHelp());
  }
  if (first == "--version") return Print("gprof-x " GPROFX_VERSION "\n");
  if (first == "help") return Explain(args[1]);
  const Command* command = Find(first);
  if (command == nullptr) return Unknown(first[0] == '-' ? "option" : "command", first);
  return Run(*command, {args.begin() + 1, args.end()});
}

}  // namespace gprofx
