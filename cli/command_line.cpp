#include "cli/command_line.h"

#include <cstdio>
#include <exception>

#include "cli/annotate/annotate.h"
#include "cli/diff/diff.h"
#include "cli/doctor/doctor.h"
#include "cli/record.h"
#include "cli/report/report.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr int kCannotRead = 2;
constexpr int kCannotRecord = 125;

int Record(const std::vector<std::string>& args) { return RunRecord(args); }

struct Command {
  const char* name;
  const char* help;
  int failure;  // exit status when something went wrong that no one foresaw
  int (*run)(const std::vector<std::string>& args);
};

constexpr Command kCommands[] = {
    {"record", "run a command and record where its time goes", kCannotRecord, &Record},
    {"report", "show a recording", kCannotRead, &RunReport},
    {"annotate", "show where inside of a GPU kernel its samples lie", kCannotRead, &RunAnnotate},
    {"diff", "say what takes longer in one recording than in another", kCannotRead, &RunDiff},
    {"doctor", "check what recording on this machine needs", kCannotRead, &RunDoctor},
};

const Command* Find(const std::string& name) {
  for (const Command& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

int Run(const Command& command, const std::vector<std::string>& args) {
  try {
    return command.run(args);
  } catch (const std::exception& error) {  // out of memory, mostly
    fprintf(stderr, "gprof-x %s: %s\n", command.name, Printable(error.what()).c_str());
    return command.failure;
  }
}

int Unknown(const std::string& what, const std::string& name) {
  fprintf(stderr, "gprof-x: unknown %s '%s'; 'gprof-x --help' lists what there is\n", what.c_str(),
          FitEnd(Printable(name), 60).c_str());
  return kCannotRead;
}

int Print(const std::string& text) {
  return fputs(text.c_str(), stdout) >= 0 && fflush(stdout) == 0 ? 0 : kCannotRead;
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
      "  help        the options of a command: gprof-x help COMMAND\n\n"
      "  --help      this text\n"
      "  --version   the version\n\n"
      "Start with: gprof-x record -- python train.py && gprof-x report\n";
  return out;
}

int RunCommandLine(const std::vector<std::string>& args) {
  if (args.empty()) {
    fputs("gprof-x: no command given; 'gprof-x --help' lists them\n", stderr);
    return kCannotRead;
  }
  const std::string& first = args[0];
  if (first == "--help" || first == "-h" || (first == "help" && args.size() == 1)) {
    return Print(MainHelp());
  }
  if (first == "--version") return Print("gprof-x " GPROFX_VERSION "\n");
  if (first == "help") {
    const Command* about = Find(args[1]);
    return about == nullptr ? Unknown("command", args[1]) : Run(*about, {"--help"});
  }
  const Command* command = Find(first);
  if (command == nullptr) return Unknown(first[0] == '-' ? "option" : "command", first);
  return Run(*command, {args.begin() + 1, args.end()});
}

}  // namespace gprofx
