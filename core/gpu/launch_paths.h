// The call paths that put work on a GPU, and how much of it. Pure; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

// By NodeId::index() of work: the call path that launched it, which is its parent, or the one above
// the marker where a graph was launched.
std::vector<NodeId> LaunchPaths(const Profile& profile);

// By NodeId::index() of call paths: ns that the work of one launch takes, on the mean of those that
// have records; of a path without any, on the mean of all that were launched one by one, as what is
// captured for a graph is. `operations`: in any order. O(n log n).
std::vector<int64_t> LaunchTimes(const Profile& profile,
                                 std::span<const PhaseOperation> operations);

}  // namespace gprofx
