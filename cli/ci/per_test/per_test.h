// gprof-x ci run --per-test: compares each benchmark of a suite.
#pragma once

#include <memory>

#include "cli/ci/job_folder.h"
#include "cli/ci/machine.h"
#include "cli/ci/per_test/harness.h"
#include "cli/ci/run_options.h"

namespace gprofx {

// Returns the harness that the command line asks for.
Result<std::unique_ptr<Harness>> ChooseHarness(const CiRun& run);

// Returns an Error if an option of the comparison has no meaning for benchmarks.
Status CheckPerTest(const CiRun& run);

// Runs the job, prints the result and writes the requested files. Returns the exit status.
int RunPerTest(const CiRun& run, std::unique_ptr<Harness> harness, const CiMachine& machine,
               const JobFolder& folder);

}  // namespace gprofx
