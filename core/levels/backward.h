// Assigns the work of a backward pass to layers of the forward pass if its call path does not
// contain a layer: autograd's threads have no module frames.
//
// Passes are recognized from the order and call paths of the GPU operations: a call of an operator
// ends when another one of its thread begins, or when an operation repeats. backward_pass.h and
// backward_parts.h match the calls of backward and forward passes. Communication belongs to no
// layer. Work without a proven layer stays without one. O(n log n) in the operations. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/levels/level_sums.h"
#include "core/levels/levels.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

// Both vectors are indexed as the operations.
struct OperationPaths {
  std::vector<uint32_t> paths;  // layer path of the node, or the one found for backward work
  // For backward work in no layer, the start of its forward call; 0 = other work, or unknown.
  std::vector<NodeId> forwards;
};

// `windows`: the windows with and without records; empty = recorded all the time.
OperationPaths LayerPaths(const Profile& profile, const Levels& levels,
                          std::span<const PhaseOperation> operations,
                          std::span<const LevelWindow> windows);

// Returns the backward work of each node by layer, for SumByLevel. Contains only nodes whose call
// path in the tree has no layer. Sorted by node.
std::vector<LayerShare> LayerShares(const Levels& levels,
                                    std::span<const PhaseOperation> operations,
                                    const OperationPaths& of);

}  // namespace gprofx
