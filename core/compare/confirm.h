// What fresh runs say about a change that others found.
//
// Who looks at hundreds of functions sees one change by chance now and then; seen again in runs
// that had no part in finding it, it is no chance. Pure; one thread.
#pragma once

#include <span>

#include "core/compare/diff.h"

namespace gprofx::compare {

// `first` with only those regressions that `again`, made of fresh runs of the same two versions,
// shows as well; the others become kInconclusive. Counts that differ need no second look.
Diff Confirmed(Diff first, const Diff& again, const Settings& settings);

// Whether there is anything in `first` that fresh runs should be asked about.
bool NeedsConfirmation(const Diff& first);

}  // namespace gprofx::compare
