// Assigns the work of backward passes to layers of the forward pass. Autograd's threads have no
// module frames, so the call path of this work does not contain a layer.
//
// Forward and backward passes are recognized by the order and the call paths of GPU operations. The
// operations of a pass are split into calls of operators: a call ends when another call of its
// thread begins or when one of its operations repeats. backward_pass.h and backward_parts.h then
// match the calls of backward passes with those of forward passes. Communication belongs to no
// layer. Work whose layer cannot be proven has none. O(n log n) in the operations. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/levels/level_sums.h"
#include "core/levels/levels.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

// Results for each operation, by its position in the operations.
struct OperationPaths {
  // Layer path of its node or, for backward work, the one that was found.
  std::vector<uint32_t> paths;
  // For backward work that is in no layer: the node at which its forward call begins. 0 = unknown,
  // or other work.
  std::vector<NodeId> forwards;
};

// Returns the layer path of each operation. `windows` are the windows with and without records of
// GPU work; empty = recorded all the time.
OperationPaths LayerPaths(const Profile& profile, const Levels& levels,
                          std::span<const PhaseOperation> operations,
                          std::span<const LevelWindow> windows);

// Returns the backward work of each node by layer, as SumByLevel() needs it. Contains only nodes
// without a layer on their call path. Sorted by node.
std::vector<LayerShare> LayerShares(const Levels& levels,
                                    std::span<const PhaseOperation> operations,
                                    const OperationPaths& of);

}  // namespace gprofx
