// Backward passes that were seen in part, as windows with records cut them.
//
// Calls are missing, so counts prove nothing. A part is looked up in the passes that were seen as a
// whole and are joined (backward_pass.h): its calls lie in what all places have in common at which
// its sequence of names occurs, in all kinds of passes. Where its forward pass was seen, places in
// other layers are none; where there are layers that no whole pass has, a call may as well be of
// them. Of passes with too many places, or of too many kinds, nothing is said. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/levels/backward_pass.h"

namespace gprofx {

using NameAndPath = std::pair<uint32_t, uint32_t>;  // of a forward call

// Of one process. `forward`: all that its forward passes called, also those without a backward
// pass.
void JoinParts(const Levels& levels, const std::set<NameAndPath>& forward,
               std::vector<BackwardPass>& passes);

}  // namespace gprofx
