// Two looks at one change: the first finds what may have become slower, fresh runs tell.
//
// Method. A first look that must be right in 99 of 100 jobs has to overlook much. One that may be
// wrong in every second suspicion, followed by as many fresh runs whenever it suspects something,
// finds more and is hardly ever wrong: what it calls a regression was suspected at first, is seen
// again in runs that had no part in that, and is there in all runs together at a rate of false
// discoveries of 5 % (the whole: at p = 3 %). tests/bench/simulate_compare.cpp prints what comes of
// it.
//
// Pure; one thread.
#pragma once

#include "core/compare/diff.h"

namespace gprofx::compare {

// Whether fresh runs should be made after `first`.
bool NeedsConfirmation(const Diff& first);

// `all` was made of the runs of both looks, `again` of the fresh ones alone. Returns `all` with the
// regressions that the method above finds and no others. Counts need no second look.
Diff Confirmed(const Diff& first, const Diff& again, Diff all);

}  // namespace gprofx::compare
