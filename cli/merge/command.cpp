#include <unistd.h>

#include "cli/command.h"
#include "cli/merge/merge.h"
#include "cli/options/shared.h"
#include "cli/terminal/screen.h"
#include "formats/profile/merged_file.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x merge";

constexpr OptionSpec kSpecs[] = {
    option::Output("Write the profile to FILE."),
    option::kHelp,
};

}  // namespace

std::span<const OptionSpec> MergeOptionSpecs() { return kSpecs; }

std::string MergeHelp() {
  return "Usage: gprof-x merge -o OUT FILE...\n"
         "Merges the profiles of the ranks or nodes of a run into one profile, which all\n"
         "commands can read. Each rank remains visible. A FILE that cannot be read is\n"
         "reported and left out.\n\n" +
         OptionHelp(kSpecs) + "\nSee gprof-x-merge(1) for the rules.\n";
}

int RunMerge(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return Fail(kCommand, parsed.error());
  if (parsed->Has("help")) return Print(kCommand, MergeHelp(), "the help");
  const std::string output = ValueOf(*parsed, "output");
  if (output.empty()) {
    return Fail(kCommand, {ErrorId::kBadOperands, "no output file is given",
                           "name one: gprof-x merge -o all.gprofx rank*.gprofx"});
  }
  if (parsed->operands.empty()) {
    return Fail(kCommand, {ErrorId::kBadOperands, "no profiles are given",
                           "name them: gprof-x merge -o all.gprofx rank*.gprofx"});
  }
  MergedFiles outcome;
  Status merged = Ok();
  {
    ProgressLine progress(STDERR_FILENO);
    const std::string all = " of " + std::to_string(parsed->operands.size());
    const auto show = [&](const char* doing, size_t done) {
      progress.Show(std::string(doing) + " " + std::to_string(done + 1) + all);
    };
    merged = MergeFiles(parsed->operands, output, show, outcome);
  }
  int status = 0;
  for (Error error : outcome.left_out) {
    error.what = "left out: " + error.what;
    status = Fail(kCommand, error);
  }
  return merged ? status : Fail(kCommand, merged.error());
}

}  // namespace gprofx
