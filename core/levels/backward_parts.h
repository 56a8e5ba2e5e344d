// Matches backward passes of which only a part was recorded, because a window with records began or
// ended within them.
//
// Calls are missing, so counts prove nothing. Instead, the sequence of names of the recorded part
// is searched in the passes that were recorded completely and have been joined with their forward
// passes (backward_pass.h). The places where the sequence occurs there are candidates. If the
// forward pass of the part was recorded too, places in layers outside of it are not candidates. A
// call of the part gets what its counterparts in all candidates have in common. If there are layers
// that no complete pass has, a call may also belong to them. If there are too many candidates, or
// too many different sequences in complete passes, nothing is matched. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/levels/backward_pass.h"

namespace gprofx {

using NameAndPath = std::pair<uint32_t, uint32_t>;  // name and path of a forward call

// Sets `joined` of the calls in incomplete passes, and of those in complete passes that are still
// unknown. `passes`: of one process. `forward`: all calls of the forward passes of that process,
// including passes without a backward pass.
void JoinParts(const Levels& levels, const std::set<NameAndPath>& forward,
               std::vector<BackwardPass>& passes);

}  // namespace gprofx
