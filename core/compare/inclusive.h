// Compares functions including all callees. Inclusive times are sums of self times and contain each
// other, and they have less noise than self times. Therefore their variances are not moderated
// (compare.h): each function uses its own. The global change that is subtracted is that of the self
// times. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Fills Change::inclusive and Change::caller. `inclusive` is in the order of `changes`; `self` is
// the comparison of self times; its global change is used.
void MeasureInclusive(std::span<const Series> inclusive, const Comparison& self,
                      const Settings& settings, std::vector<Change>& changes);

}  // namespace gprofx::compare
