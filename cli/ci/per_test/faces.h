// The result of a job of benchmarks as text, JSON, and in the formats of CI systems. Pure. Every
// function escapes names for its format: names may hold any byte.
#pragma once

#include <string>
#include <vector>

#include "cli/ci/machine.h"
#include "cli/ci/per_test/result.h"
#include "cli/ci/run_options.h"
#include "cli/diff/outputs.h"
#include "cli/diff/outputs/notices.h"
#include "cli/terminal/screen.h"

namespace gprofx {

// 0 nothing is slower, 1 something is, 2 a benchmark failed, 3 no benchmark could be told.
int PerTestStatus(const PerTestResult& result, bool ignore_failures);

// "1 slower, 10 same, 1 undecided"
std::string PerTestHeadline(const PerTestResult& result);

const char* VerdictText(BenchmarkVerdict verdict);  // "slower"

// One sentence for each reason of a change: counts first, then functions.
std::vector<std::string> ReasonsOf(const BenchmarkResult& one);

std::string IntervalText(const BenchmarkResult& one);  // "+10.2% to +13.9%"; "" if unknown
bool HasTimes(const BenchmarkResult& one);

std::string PerTestText(const CiRun& run, const PerTestResult& result, const Screen& screen);
std::string PerTestJson(const CiRun& run, const PerTestResult& result, const CiMachine& machine);
std::vector<Notice> PerTestNotices(const PerTestResult& result);

// The files that CI systems read. `run` and `result` must outlive it.
class PerTestSource : public OutputSource {
 public:
  PerTestSource(const CiRun& run, const PerTestResult& result) : run_(run), result_(result) {}

  Result<std::string> Text(std::string DiffOutputs::*which,
                           const OutputPlace& place) const override;
  std::string Markdown(size_t most_bytes) const override;
  std::string Annotations(const OutputPlace& place) const override;

 private:
  const CiRun& run_;
  const PerTestResult& result_;
};

}  // namespace gprofx
