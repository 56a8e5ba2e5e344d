// Functions with everything that they call: sums, which have less noise of their own than their
// parts and contain each other. So variances are those of each alone, not moderated over all, and
// what changed everywhere is taken from the parts. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Fills Change::inclusive and Change::caller. `inclusive` stands in the order of `changes`; `self`
// compares what each of them takes without what it calls.
void MeasureInclusive(std::span<const Series> inclusive, const Comparison& self,
                      const Settings& settings, std::vector<Change>& changes);

}  // namespace gprofx::compare
