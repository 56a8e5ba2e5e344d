// Compares the times of functions including all callees. Inclusive times are sums of self times,
// contain each other, and have less noise. Their variances are therefore not moderated (compare.h):
// each function uses its own. The global change of the self times is subtracted. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Sets Change::inclusive and Change::caller. `inclusive` holds the times in the order of `changes`.
// `self` is the comparison of self times, whose global change is used.
void MeasureInclusive(std::span<const Series> inclusive, const Comparison& self,
                      const Settings& settings, std::vector<Change>& changes);

}  // namespace gprofx::compare
