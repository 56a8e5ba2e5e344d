#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "cli/baseline_store.h"
#include "cli/ci/ci.h"
#include "cli/ci/job.h"
#include "cli/ci/machine.h"
#include "cli/ci/per_test/per_test.h"
#include "cli/ci/run_options.h"
#include "cli/ci/verdict.h"
#include "cli/command.h"
#include "cli/diff/rules_option.h"
#include "cli/folders.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "core/base/path.h"
#include "core/compare/rules/rule_check.h"

namespace gprofx {
namespace {

constexpr int kStopped = 130;

void TellMachine(const CiMachine& machine) {
  const int columns = DetectScreen(STDERR_FILENO, ColorWhen::kNever).columns;
  for (const std::string& line : MachineLines(machine)) {
    fprintf(stderr, "%s\n", WrapWords("gprof-x ci run: " + Printable(line), columns).c_str());
  }
}

// Returns the root of the source tree that contains `folder`, relative to which CI systems name
// files. Returns `folder` itself if there is no such tree.
std::string SourceTree(const std::string& folder) {
  const std::unique_ptr<char, void (*)(void*)> whole(
      realpath(folder.empty() ? "." : folder.c_str(), nullptr), &free);
  if (whole == nullptr) return folder;
  for (std::string above = whole.get(); above != "/"; above = FolderOf(above)) {
    if (access((above + "/.git").c_str(), F_OK) == 0) return above;
  }
  return whole.get();
}

// Returns the working directories of those sides that are recorded.
std::vector<std::string> SidesOf(const CiRun& run) {
  if (!run.baseline.empty()) return {run.head.folder};
  return {run.base.folder, run.head.folder};
}

int Stopped(const std::string& output) {
  fprintf(stderr, "gprof-x ci run: stopped; finished runs are in %s\n", Printable(output).c_str());
  return kStopped;
}

// Writes the results to the job's folder, and prints the requested format to standard output.
// Returns the exit status.
int Tell(const CiRun& run, const CiResult& result, const CiMachine& machine,
         const JobFolder& folder) {
  const std::string json = CiVerdictJson(run, result, machine);
  const Status written[] = {
      folder.Write("verdict.json", json),
      folder.Write("verdict.txt", CiVerdictText(run, result, machine, {80, false}))};
  for (const Status& status : written) {
    if (!status) return Fail(kCiRunCommand, status.error());
  }
  const DiffOptions& options = run.diff.options;
  const Screen screen = DetectScreen(STDOUT_FILENO, run.diff.color);
  if (!options.outputs.TakesStdout()) {
    std::string text = options.json ? json : CiVerdictText(run, result, machine, screen);
    if (options.outputs.github && !options.json) text = GithubQuoted(text);
    if (const int printed = Print(kCiRunCommand, text, "the verdict"); printed != 0) return printed;
  }
  const Status others = WriteDiffOutputs(result.diff, options, {screen, result.base, result.head});
  return others ? DiffStatus(result.diff) : Fail(kCiRunCommand, others.error());
}

}  // namespace

std::string CiRunHelp() {
  return "Usage: gprof-x ci run [OPTION...] --base CMD --head CMD [-- ARG...]\n"
         "       gprof-x ci run [OPTION...] --base-dir DIR --head-dir DIR -- COMMAND...\n"
         "       gprof-x ci run --per-test --base-dir DIR --head-dir DIR -- pytest ARG...\n"
         "       gprof-x ci run [OPTION...] --baseline NAME [--head CMD] [-- COMMAND...]\n"
         "Records two versions of a program alternately. Shows what became slower, and how\n"
         "certain the result is. The ARGs are appended to both commands. To compare each\n"
         "benchmark of a suite, use --per-test.\n\n" +
         OptionHelp(CiRunOptionSpecs()) +
         "\n"
         "All options of gprof-x diff except --aa can also be used; see\n"
         "'gprof-x diff --help-all'.\n"
         "Exit status: 0 if nothing is slower, 1 if something is slower, 2 if an error\n"
         "occurs, 3 if the result is inconclusive, 130 if the job was stopped.\n"
         "With --per-test: 2 also if a benchmark fails, 3 if no benchmark has a result.\n";
}

int RunCiRun(const std::vector<std::string>& args) {
  Result<CiRun> run = ParseCiRun(args);
  if (!run) return Fail(kCiRunCommand, run.error());
  if (run->help) return Print(kCiRunCommand, CiRunHelp(), "the help");
  // Create the folder before the options of the comparison are read. Their output files may be in
  // it, and the folder of an output file must exist.
  NewFolders made;
  if (const Status is = made.Make(run->output, "name another folder with -o"); !is)
    return Fail(kCiRunCommand, is.error());
  if (const Status read = ReadComparison(*run); !read) return Fail(kCiRunCommand, read.error());
  const Result<std::optional<BenchmarkHistory>> history = ReadJobHistory(*run);
  if (!history) return Fail(kCiRunCommand, history.error());
  std::unique_ptr<Harness> harness;  // null without --per-test
  if (run->per_test()) {
    if (const Status fits = CheckPerTest(*run); !fits) return Fail(kCiRunCommand, fits.error());
    Result<std::unique_ptr<Harness>> chosen = ChooseHarness(*run);
    if (!chosen) return Fail(kCiRunCommand, chosen.error());
    harness = std::move(*chosen);
  }
  // Report errors in rules now, not after an hour of recording.
  compare::RuleSet rules;
  if (!ReadRules(kCiRunCommand, run->diff.fail_on, run->diff.rules_file, Today(), rules)) return 2;
  run->diff.options.outputs.roots = {SourceTree(run->head.folder), SourceTree(run->base.folder)};
  std::vector<std::string> baseline;
  if (!run->baseline.empty()) {
    Result<std::vector<std::string>> files = BaselineFiles(run->baseline);
    if (!files) return Fail(kCiRunCommand, files.error());
    baseline = std::move(*files);
  }
  const Result<JobFolder> folder = JobFolder::Make(run->output, run->force, SidesOf(*run));
  if (!folder) return Fail(kCiRunCommand, folder.error());
  made.Keep();
  const CiMachine machine = LookAtMachine();
  TellMachine(machine);
  if (harness != nullptr) {
    const BenchmarkHistory* known = *history ? &**history : nullptr;
    return RunPerTest(*run, std::move(harness), known, machine, *folder);
  }
  StopSignals signals;
  const Orphans orphans;
  CiJob job(*run, rules, *folder, std::move(baseline), signals, orphans);
  Result<CiResult> result = job.Run();
  if (!result) return Fail(kCiRunCommand, result.error());
  if (result->stopped) return Stopped(run->output);
  if (!rules.empty()) {
    compare::CheckRules(rules, run->diff.options.settings, result->diff,
                        result->again ? &*result->again : nullptr);
  }
  return Tell(*run, *result, machine, *folder);
}

}  // namespace gprofx
