// Finds what changed in a benchmark: exact counts, and the functions and kernels that take more or
// less of a call. Pure.
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
  // One for each round. They are expressed in calls meanwhile.
  std::vector<compare::Run>& base;
  std::vector<compare::Run>& head;
  std::span<const double> base_ns, head_ns;  // time of a call, of the clock of the functions
  bool marks_batches = false;                // the recordings have a step for each batch
  int64_t calls = 0;                         // in a batch
};

// Returns the time of a call of the clock that functions have: "cpu" or "wall".
double TimeOfClock(const BenchmarkTimes& times, const std::string& metric);

// Fills out.counts, and out.blamed if `changed`.
void ExplainChange(const BlameInput& input, const compare::Settings& settings, bool changed,
                   BenchmarkResult& out);

}  // namespace gprofx
