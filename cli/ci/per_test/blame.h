// Finds what changed in a benchmark: exact counts, and the functions and kernels that take more or
// less time in a call. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/ci/per_test/harness.h"
#include "cli/ci/per_test/result.h"
#include "core/compare/diff.h"
#include "core/compare/run.h"

namespace gprofx {

struct BlameInput {
  // The recordings, one for each round. ExplainChange() converts their times into times per call.
  std::vector<compare::Run>& base;
  std::vector<compare::Run>& head;
  // Time of a call in each round, by the clock of function times.
  std::span<const double> base_ns, head_ns;
  bool marks_batches = false;  // true if the recordings have a step for each batch
  int64_t calls = 0;           // number of calls in a batch
};

// Returns the time of a call by the clock of function times, which `metric` names: "cpu" or "wall".
// Returns wall time if CPU time is unknown.
double TimeOfClock(const BenchmarkTimes& times, const std::string& metric);

// Sets out.counts. If `changed` is true and the times of all runs could be converted, also sets
// out.blamed and out.diff.
void ExplainChange(const BlameInput& input, const compare::Settings& settings, bool changed,
                   BenchmarkResult& out);

}  // namespace gprofx
