// Finds time that only moved: a part is slower while the whole is not. Pure.
//
// A slower part is not a regression in three cases: other parts became faster by as much and the
// whole is no slower; its caller, including all callees, certainly slowed down by less than half of
// the part's slowdown; or a thread only waits longer and the whole is no slower.
#pragma once

#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Sets Change::moved. `whole` is the outcome of all parts together.
void FindMoved(const Outcome& whole, std::vector<Change>& changes);

}  // namespace gprofx::compare
