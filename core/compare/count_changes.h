// Compares the exact counts of work, such as launches and bytes copied, in the runs of two versions
// of a program. Pure.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Sets diff.counts, counts_equal and counts_varying from the counts per diff.unit. Also sets
// diff.count_ranges and sum_ranges: the ranges of all counts per run and, if the unit is the step,
// also per step. Processes and threads are counted only per run.
void CompareCounts(std::span<const Run> base, std::span<const Run> head, Diff& diff);

}  // namespace gprofx::compare
