#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/demo/demo.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/places.h"
#include "cli/options/shared.h"
#include "cli/record.h"
#include "cli/report/report.h"
#include "cli/temporary_file.h"
#include "cli/terminal/text.h"
#include "cli/text_file.h"
#include "core/base/command_output.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x demo";
constexpr char kYourOwn[] =
    "\nYour own program: gprof-x record -- python3 train.py && gprof-x report\n";

constexpr OptionSpec kSpecs[] = {
    option::Output("Write the recording to FILE (default: demo.gprofx)."),
    option::kHelp,
};

// Returns the path of the first Python on PATH whose frames can be sampled. Returns nullopt if
// there is none. Asks Python for its own path, because the program on PATH may be a script of a
// version manager.
std::optional<std::string> FindPython() {
  constexpr char kAsk[] =
      "import sys; print('Python %d.%d\\n%s' % (sys.version_info[0], sys.version_info[1], "
      "sys.executable))";
  for (const std::string& path : PythonsOnPath()) {
    const auto output = CommandOutput({path, "-c", kAsk}, kPythonMilliseconds);
    const auto version = output ? ParsePythonVersion(*output) : std::nullopt;
    if (!version || !IsSupportedPython(*version)) continue;
    const size_t line = output->find('\n') + 1;
    std::string self = output->substr(line, output->find('\n', line) - line);
    return self.starts_with('/') ? std::move(self) : path;
  }
  return std::nullopt;
}

}  // namespace

std::span<const OptionSpec> DemoOptionSpecs() { return kSpecs; }

std::string DemoHelp() {
  return "Usage: gprof-x demo [-o FILE]\n"
         "Records a Python program of two seconds that comes with gprof-x, and shows the\n"
         "report. The program uses Python, C and, if there is one, a GPU.\n\n" +
         OptionHelp(kSpecs) + "\nSee gprof-x-demo(1).\n";
}

int RunDemo(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return Fail(kCommand, parsed.error());
  if (parsed->Has("help")) return Print(kCommand, DemoHelp(), "the help");
  if (!parsed->operands.empty()) {
    return Fail(kCommand,
                {ErrorId::kBadOperands,
                 "unexpected argument '" + FitEnd(Printable(parsed->operands[0]), 40) + "'",
                 "record your own program with gprof-x record -- COMMAND"});
  }
  const std::optional<std::string> python = FindPython();
  if (!python) {
    return Fail(kCommand, {ErrorId::kMissingProgram, "cannot find CPython 3.8 to 3.15 in PATH",
                           "install python3, or record your own: gprof-x record -- COMMAND"});
  }
  const TemporaryFolder folder("gprof-x-demo");
  if (folder.name().empty()) {
    return Fail(kCommand, {ErrorId::kCannotWrite,
                           std::string("cannot create a temporary folder: ") + strerror(errno),
                           "set TMPDIR to a folder that you may write"});
  }
  const std::string program = folder.name() + "/demo.py";
  if (Status done = ReplaceTextFile(program, std::string(kDemoProgram), kCommand); !done) {
    return Fail(kCommand, done.error());
  }
  std::string output = ValueOf(*parsed, "output");
  if (output.empty()) output = "demo.gprofx";
  // RunRecord() has already printed its error.
  if (RunRecord({"-q", "-o", output, "--", *python, program}) != 0) return 2;
  if (const int status = RunReport({"--no-pager", output}); status != 0) return status;
  return Print(kCommand, kYourOwn, "what is next");
}

}  // namespace gprofx
