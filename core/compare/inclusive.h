// Compares the times of functions including all callees. Inclusive times are sums of self times and
// contain each other, and they have less noise than self times. Their variances are therefore not
// moderated (compare.h); each function uses its own. The global change of the self times is
// subtracted. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Sets Change::inclusive and Change::caller. `inclusive` holds the inclusive times in the order of
// `changes`. `self` is the comparison of the self times; its global change is subtracted.
void MeasureInclusive(std::span<const Series> inclusive, const Comparison& self,
                      const Settings& settings, std::vector<Change>& changes);

}  // namespace gprofx::compare
