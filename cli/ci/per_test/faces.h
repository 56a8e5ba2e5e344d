// Formats the result of a job of benchmarks as text, as JSON, and for CI systems. Pure. Names may
// contain any byte, so every function escapes them for its format.
#pragma once

#include <string>
#include <vector>

#include "cli/ci/benchmark_history/history.h"
#include "cli/ci/machine.h"
#include "cli/ci/per_test/result.h"
#include "cli/ci/run_options.h"
#include "cli/diff/outputs.h"
#include "cli/diff/outputs/notices.h"
#include "cli/terminal/screen.h"

namespace gprofx {

// Returns the exit status: 0 if nothing is slower, 1 if something is, 2 if a benchmark failed
// (unless `ignore_failures`), 3 if no benchmark could be decided.
int PerTestStatus(const PerTestResult& result, bool ignore_failures);

// Returns a summary such as "1 slower, 10 same, 1 undecided".
std::string PerTestHeadline(const PerTestResult& result);

std::string BenchmarksText(const PerTestResult& result);  // "12 benchmarks of pytest"

// Returns all benchmarks, the most important verdict first.
std::vector<const BenchmarkResult*> BySeverity(const PerTestResult& result);

// Returns sentences about the job: benchmarks that only one side has, and the time limit.
std::vector<std::string> JobNotes(const PerTestResult& result);

const char* VerdictText(BenchmarkVerdict verdict);  // returns a word such as "slower"

// Returns the reasons of a change, each as one sentence: first counts, then functions.
std::vector<std::string> ReasonsOf(const BenchmarkResult& one);

std::string IntervalText(const BenchmarkResult& one);  // such as "+10.2% to +13.9%"; "" if unknown
bool HasTimes(const BenchmarkResult& one);

std::string PerTestText(const CiRun& run, const PerTestResult& result, const Screen& screen);
std::string PerTestJson(const CiRun& run, const PerTestResult& result, const CiMachine& machine);
std::vector<Notice> PerTestNotices(const PerTestResult& result);

// Makes the files that CI systems and browsers read. The arguments must outlive it.
class PerTestSource : public OutputSource {
 public:
  // `history` may be null.
  PerTestSource(const CiRun& run, const PerTestResult& result, const BenchmarkHistory* history)
      : run_(run), result_(result), history_(history) {}

  Result<std::string> Text(std::string DiffOutputs::*which,
                           const OutputPlace& place) const override;
  std::string Markdown(size_t most_bytes) const override;
  std::string Annotations(const OutputPlace& place) const override;

 private:
  const CiRun& run_;
  const PerTestResult& result_;
  const BenchmarkHistory* history_;
};

}  // namespace gprofx
