// Which layer of the forward pass the work of a backward pass belongs to, where its call path does
// not say so: autograd's threads have no frames of modules.
//
// Autograd runs the nodes of a graph in the reverse order of their making, so the last call of
// addmm in a forward pass belongs to the first AddmmBackward0 that follows. Calls are told from the
// operations of a GPU, by their call paths: a call ends where another one of its thread begins, or
// where an operation comes again. It counts only what can be checked: where a pass has as many
// AddmmBackward0 as the forward pass before it has calls of addmm, or where all of these lie in one
// layer. A node between two known ones, whose forward call put no work on a GPU, lies in the layer
// around both of them; adding a gradient belongs to the node before it, behind which autograd
// always does it. Communication belongs to no layer. All else stays without one. O(n log n) in the
// operations. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/levels/level_sums.h"
#include "core/levels/levels.h"
#include "core/phases.h"
#include "core/profile.h"

namespace gprofx {

// Of each operation, the path of layers that it belongs to: that of its node, or what was found for
// backward work. In the order of `operations`.
std::vector<uint32_t> LayerPaths(const Profile& profile, const Levels& levels,
                                 std::span<const PhaseOperation> operations);

// The same by node, for SumByLevel: only nodes for which `paths` (of LayerPaths) say more than the
// tree. Sorted by node.
std::vector<LayerShare> LayerShares(const Levels& levels, std::span<const PhaseOperation> operations,
                                    std::span<const uint32_t> paths);

}  // namespace gprofx
