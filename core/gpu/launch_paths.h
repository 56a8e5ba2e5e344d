// Finds the call paths that put work on a GPU, and how long that work takes. Pure; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

// Returns the call path that launched each piece of work, by NodeId::index() of the work. The path
// is the parent of the work or, if a graph launched it, the node above the marker.
std::vector<NodeId> LaunchPaths(const Profile& profile);

// Returns the mean GPU time of one launch in ns, by NodeId::index() of its call path. The mean is
// over launches with records. A path without any record, such as that of a launch captured into a
// graph, gets the mean over all launches outside graphs. `operations` may be in any order. O(n log
// n).
std::vector<int64_t> LaunchTimes(const Profile& profile,
                                 std::span<const PhaseOperation> operations);

}  // namespace gprofx
