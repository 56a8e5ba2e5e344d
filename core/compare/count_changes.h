// Compares the exact counts of two sides. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Fills diff.counts, counts_equal and counts_varying with the counts per diff.unit. Fills
// diff.count_ranges and sum_ranges with the ranges of all names per run; if the unit is the step,
// also per step. Processes and threads are counted per run only.
void CompareCounts(std::span<const Run> base, std::span<const Run> head, Diff& diff);

}  // namespace gprofx::compare
