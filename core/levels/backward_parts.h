// Matches backward passes that were recorded only in part because windows with records cut them.
//
// Calls are missing, so counts prove nothing. Instead, the sequence of names of a part is searched
// in the passes that were recorded completely and are joined (backward_pass.h), over all kinds of
// passes. A call gets what all matching places have in common. Places in layers that are not in the
// part's own forward pass, if that was recorded, do not match. If there are layers that no complete
// pass has, a call may also belong to them. Passes with too many places or kinds are not matched.
// Pure.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/levels/backward_pass.h"

namespace gprofx {

using NameAndPath = std::pair<uint32_t, uint32_t>;  // name and path of a forward call

// For one process. `forward`: all calls of its forward passes, including those without a backward
// pass.
void JoinParts(const Levels& levels, const std::set<NameAndPath>& forward,
               std::vector<BackwardPass>& passes);

}  // namespace gprofx
