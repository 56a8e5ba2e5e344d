// gprof-x ci run --per-test: compares each benchmark of a suite on its own.
#pragma once

#include <memory>
#include <optional>

#include "cli/ci/benchmark_history/history.h"
#include "cli/ci/job_folder.h"
#include "cli/ci/machine.h"
#include "cli/ci/per_test/harness.h"
#include "cli/ci/run_options.h"

namespace gprofx {

// Returns the harness that the command line requests.
Result<std::unique_ptr<Harness>> ChooseHarness(const CiRun& run);

// Fails if an option of the comparison is meaningless for benchmarks.
Status CheckPerTest(const CiRun& run);

// Returns the history that --history names; no value if it is not given.
Result<std::optional<BenchmarkHistory>> ReadJobHistory(const CiRun& run);

// Runs the job, prints the result and writes the requested files. Returns the exit status.
int RunPerTest(const CiRun& run, std::unique_ptr<Harness> harness, const BenchmarkHistory* history,
               const CiMachine& machine, const JobFolder& folder);

}  // namespace gprofx
