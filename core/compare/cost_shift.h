// Finds parts that are slower only because time moved to them from other parts. Pure.
//
// A slower part is not a regression if one of these holds:
//   - The whole is not slower, and other parts became faster by about as much.
//   - The whole is not slower, and the part is a wait; a thread only waits longer.
//   - The caller of the part, including all of its callees, certainly slowed down by less than half
//     of the part's slowdown.
#pragma once

#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Sets Change::moved of all changes. `whole` is the outcome of all parts together.
void FindMoved(const Outcome& whole, std::vector<Change>& changes);

}  // namespace gprofx::compare
