// Compares functions including all callees. Inclusive times are sums: they have less noise of their
// own than their parts, and they contain each other. So each uses its own variance without
// moderation, and the global change is that of the parts. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Fills Change::inclusive and Change::caller. `inclusive` is in the order of `changes`; `self` is
// the comparison of self times.
void MeasureInclusive(std::span<const Series> inclusive, const Comparison& self,
                      const Settings& settings, std::vector<Change>& changes);

}  // namespace gprofx::compare
