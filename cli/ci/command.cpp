#include "cli/command.h"
#include "cli/ci/ci.h"
#include "cli/diff/diff.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x ci";

// Returns the options of all subcommands, for completion. An option that several subcommands have
// occurs once.
std::vector<OptionSpec> AllSpecs() {
  std::vector<OptionSpec> all;
  for (const auto specs :
       {CiRunOptionSpecs(), DiffOptionSpecs(), CiBaselineOptionSpecs(), CiHistoryOptionSpecs()}) {
    for (const OptionSpec& spec : specs) {
      const std::string name = LongName(spec);
      if (FindOption(all, name) == nullptr && name != "aa") all.push_back(spec);
    }
  }
  return all;
}

}  // namespace

std::span<const OptionSpec> CiOptionSpecs() {
  static const std::vector<OptionSpec> specs = AllSpecs();
  return specs;
}

std::string CiHelp() {
  return "Usage: gprof-x ci run|baseline|history [OPTION...]\n"
         "  run       Record two versions alternately and show what became slower.\n"
         "  baseline  Store recordings for comparisons with later versions.\n"
         "  history   Find the versions in which a measured time changed.\n"
         "For the options, see 'gprof-x ci run --help' and so on. See also gprof-x-ci(1).\n";
}

int RunCi(const std::vector<std::string>& args) {
  const std::string verb = args.empty() ? "" : args[0];
  const std::vector<std::string> rest(args.begin() + (args.empty() ? 0 : 1), args.end());
  if (verb == "--help" || verb == "-h") return Print(kCommand, CiHelp(), "the help");
  if (verb == "run") return RunCiRun(rest);
  if (verb == "baseline") return RunCiBaseline(rest);
  if (verb == "history" || verb == "--history") return RunCiHistory(rest);
  return Fail(kCommand, {verb.empty() ? ErrorId::kBadOperands : ErrorId::kUnknownOption,
                         verb.empty() ? "no command is given"
                                      : "unknown command '" + FitEnd(Printable(verb), 40) + "'",
                         "use run, baseline or history; 'gprof-x ci --help' explains them"});
}

}  // namespace gprofx
