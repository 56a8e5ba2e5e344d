// Makes an HTML page of a job of benchmarks: a table of all, with a plot of the history of each,
// and the comparison of each that changed as in the page of `gprof-x diff` (cli/diff/html).
#pragma once

#include <string>

#include "cli/ci/benchmark_history/history.h"
#include "cli/ci/per_test/result.h"
#include "cli/ci/run_options.h"
#include "core/base/result.h"

namespace gprofx {

// Returns a sentence if the history has none of the benchmarks, otherwise "". Not escaped.
// `history` may be null.
std::string HistoryNote(const CiRun& run, const PerTestResult& result,
                        const BenchmarkHistory* history);

// Returns the whole HTML document. `history` may be null. Reads the profiles of the benchmarks that
// have a `diff`. Blocking.
Result<std::string> PerTestPage(const CiRun& run, const PerTestResult& result,
                                const BenchmarkHistory* history);

}  // namespace gprofx
