// Functions with everything that they call: sums, which have less noise of their own than their
// parts and contain each other. So variances are those of each alone, not moderated over all, and
// what changed everywhere is taken from the parts. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Fills Change::inclusive and Change::caller. `self` and `inclusive` stand in the order of
// `changes`, whose own outcomes are there; `total` is that of all of them.
void MeasureInclusive(std::span<const Series> self, std::span<const Series> inclusive,
                      const Outcome& total, const Settings& settings,
                      std::vector<Change>& changes);

}  // namespace gprofx::compare
