// Confirms changes in two stages: the first stage finds suspects, and fresh runs confirm or reject
// them.
//
// Method: A single stage that must be right in 99 of 100 jobs misses many changes. Of the
// suspicions of this first stage, every second one may be wrong. If there is a suspicion, as many
// fresh runs are made as the first stage had. The two stages together find more changes and are
// rarely wrong. A regression is confirmed if all of these hold:
//   - The first stage suspects it.
//   - The fresh runs alone show it again.
//   - It is significant in all runs together, at a false discovery rate of 5 %, or at p = 3 % for
//     the whole program.
//
// tests/bench/simulate_compare.cpp prints the resulting error rates.
//
// Pure; one thread.
#pragma once

#include "core/compare/diff.h"

namespace gprofx::compare {

// True if the comparison `first` contains a suspicion. Fresh runs should then be made.
bool NeedsConfirmation(const Diff& first);

// Returns `all` without regressions that are not confirmed. `all` compares the runs of both stages,
// `again` the fresh runs alone. Counts need no confirmation.
Diff Confirmed(const Diff& first, const Diff& again, Diff all);

}  // namespace gprofx::compare
