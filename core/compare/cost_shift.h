// Time that only moved: a part that takes longer while the whole does not. Pure.
//
// A part is no regression by itself where others give what it takes and the whole is no slower;
// where the function that calls it takes, with all that it calls, surely less than half of what the
// part takes longer; and where a thread merely waits longer while the whole is no slower.
#pragma once

#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Sets Change::moved. `whole` is what all of them take together.
void FindMoved(const Outcome& whole, std::vector<Change>& changes);

}  // namespace gprofx::compare
