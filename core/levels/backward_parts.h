// Matches the calls of backward passes that were recorded only in part, because a window with
// records began or ended within them.
//
// Calls are missing, so equal numbers of calls prove nothing. Instead, the sequence of names in the
// recorded part is searched in the complete passes, whose calls are already matched with those of
// their forward passes (backward_pass.h). The places where the sequence occurs are candidates. If
// the forward pass of the part was recorded, too, places with layers that it does not contain are
// excluded. A call of the part gets the layers that its counterparts in all candidates have in
// common. If there are layers that no complete pass contains, the call may also belong to these.
// Nothing is matched if there are too many candidates, or too many different sequences in complete
// passes. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/levels/backward_pass.h"

namespace gprofx {

using NameAndPath = std::pair<uint32_t, uint32_t>;  // name and layer path of a forward call

// Sets BackwardCall::joined of the calls in incomplete passes, and of those in complete passes that
// are still unknown. `passes` are those of one process. `forward` are all calls of the forward
// passes of this process, including forward passes without a backward pass.
void JoinParts(const Levels& levels, const std::set<NameAndPath>& forward,
               std::vector<BackwardPass>& passes);

}  // namespace gprofx
