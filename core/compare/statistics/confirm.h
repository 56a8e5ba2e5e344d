// Confirms changes in two stages: the first stage finds suspects, fresh runs confirm or reject
// them.
//
// Method. A single stage that must be right in 99 of 100 jobs misses much. A first stage in which
// every second suspicion may be wrong, followed by as many fresh runs whenever it suspects
// something, finds more and is rarely wrong. A regression must be suspected in the first stage, be
// seen again in the fresh runs alone, and be significant in all runs together at a false discovery
// rate of 5 % (the whole: at p = 3 %). tests/bench/simulate_compare.cpp prints the resulting error
// rates.
//
// Pure; one thread.
#pragma once

#include "core/compare/diff.h"

namespace gprofx::compare {

// True if fresh runs should be made after `first`.
bool NeedsConfirmation(const Diff& first);

// `all` is the comparison of the runs of both stages, `again` that of the fresh ones alone. Returns
// `all` with only the regressions that the method above finds. Counts need no confirmation.
Diff Confirmed(const Diff& first, const Diff& again, Diff all);

}  // namespace gprofx::compare
