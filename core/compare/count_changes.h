// Exact counts of two sides, held against each other. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Fills `counts`, `counts_equal` and `counts_varying` by diff.unit, and the ranges of all names,
// per run and, where the unit is the step, per step. Processes and threads are of the run.
void CompareCounts(std::span<const Run> base, std::span<const Run> head, Diff& diff);

}  // namespace gprofx::compare
