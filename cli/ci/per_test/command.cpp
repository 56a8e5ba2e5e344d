#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/ci/per_test/faces.h"
#include "cli/ci/per_test/html/page.h"
#include "cli/ci/per_test/job.h"
#include "cli/ci/per_test/per_test.h"
#include "cli/ci/run_options.h"
#include "cli/command.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr int kStopped = 130;

std::vector<std::string> HeadProfiles(const PerTestResult& result) {
  for (const BenchmarkResult& one : result.benchmarks) {
    if (!one.head.empty()) return one.head;
  }
  return {};
}

int Tell(const CiRun& run, const PerTestResult& result, const BenchmarkHistory* history,
         const CiMachine& machine, const JobFolder& folder) {
  const std::string json = PerTestJson(run, result, machine);
  const Status written[] = {folder.Write("verdict.json", json),
                            folder.Write("verdict.txt", PerTestText(run, result, {80, false}))};
  for (const Status& status : written) {
    if (!status) return Fail(kCiRunCommand, status.error());
  }
  const DiffOptions& options = run.diff.options;
  if (!options.outputs.TakesStdout()) {
    const Screen screen = DetectScreen(STDOUT_FILENO, run.diff.color);
    std::string text = options.json ? json : PerTestText(run, result, screen);
    if (options.outputs.github && !options.json) text = GithubQuoted(text);
    if (const int printed = Print(kCiRunCommand, text, "the verdict"); printed != 0) return printed;
  }
  if (const std::string note = HistoryNote(run, result, history); !note.empty()) {
    fprintf(stderr, "gprof-x ci run: %s\n", Printable(note).c_str());
  }
  const PerTestSource source(run, result, history);
  const Status others = WriteOutputs(source, options.outputs, options.json, HeadProfiles(result));
  return others ? PerTestStatus(result, run.ignore_failures) : Fail(kCiRunCommand, others.error());
}

}  // namespace

Result<std::unique_ptr<Harness>> ChooseHarness(const CiRun& run) {
  if (!run.commands_file.empty()) return CommandsHarness(run.commands_file);
  std::string name = run.harness;
  if (name == "auto") {
    std::vector<std::string> words = run.words;
    words.push_back(run.head.command);
    name = HarnessInWords(words);
  }
  std::unique_ptr<Harness> harness = HarnessOf(name);
  if (harness != nullptr) return harness;
  return Error{ErrorId::kMissingOption, "the command does not name pytest",
               "name the framework: --per-test=pytest, google or catch2"};
}

Status CheckPerTest(const CiRun& run) {
  const DiffOutputs& outputs = run.diff.options.outputs;
  const std::pair<bool, const char*> refused[] = {{!run.baseline.empty(), "--baseline"},
                                                  {!run.diff.fail_on.empty(), "--fail-on"},
                                                  {!run.diff.rules_file.empty(), "--rules"},
                                                  {!outputs.metrics.empty(), "--metrics"}};
  for (const auto& [is_given, option] : refused) {
    if (is_given) {
      return CannotCombine(run.commands_file.empty() ? "--per-test" : "--command-for-each", option);
    }
  }
  return Ok();
}

Result<std::optional<BenchmarkHistory>> ReadJobHistory(const CiRun& run) {
  if (run.history.empty()) return std::optional<BenchmarkHistory>();
  if (!run.per_test() || run.diff.options.outputs.html.empty()) {
    return Error{ErrorId::kMissingOption, "option '--history' needs --per-test and --html",
                 "add --html FILE, or leave --history out"};
  }
  if (access(run.history.c_str(), R_OK) != 0) {
    return Error{ErrorId::kCannotRead, "cannot read '" + run.history + "': " + strerror(errno),
                 "name a history that 'gprof-x ci history' reads"};
  }
  Result<std::optional<BenchmarkHistory>> history = ReadBenchmarkHistory(run.history, "");
  if (history && *history) return history;
  if (!history) {
    if (history.error().id != ErrorId::kNotFound) return history.error();
    return Error{history.error().id, history.error().what,
                 "--history needs results with only one; 'gprof-x ci history --name' reads any"};
  }
  const bool is_store = access((run.history + "/names").c_str(), F_OK) == 0;
  return Error{
      ErrorId::kNoBaseline,
      "'" + run.history + "' has " +
          (is_store ? "baselines, which are not of single benchmarks" : "no results of benchmarks"),
      "name results of 'gprof-x ci run --per-test' or of asv, or data.js"};
}

int RunPerTest(const CiRun& run, std::unique_ptr<Harness> harness, const BenchmarkHistory* history,
               const CiMachine& machine, const JobFolder& folder) {
  StopSignals signals;
  const Orphans orphans;
  PerTestJob job(run, std::move(harness), folder, signals, orphans);
  const Result<PerTestResult> result = job.Run();
  if (!result) return Fail(kCiRunCommand, result.error());
  if (result->stopped) {
    fprintf(stderr, "gprof-x ci run: stopped; finished runs are in %s\n",
            Printable(run.output).c_str());
    return kStopped;
  }
  return Tell(run, *result, history, machine, folder);
}

}  // namespace gprofx
