// Which layer of the forward pass the work of a backward pass belongs to, where its call path does
// not say so: autograd's threads have no frames of modules.
//
// Passes are told from the operations of a GPU, by their call paths: a call of an operator ends
// where another one of its thread begins, or where an operation comes again. Which calls of a
// backward pass belong to which of the forward pass is in backward_pass.h and backward_parts.h.
// Communication belongs to no layer. All that is not proven stays without one. O(n log n) in the
// operations. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/levels/level_sums.h"
#include "core/levels/levels.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

// In the order of the operations.
struct OperationPaths {
  std::vector<uint32_t> paths;  // of layers: that of the node, or what was found for backward work
  // Of backward work in no layer where its forward call begins; 0 = of other work, or not known.
  std::vector<NodeId> forwards;
};

// `windows`: where records were made and where not; empty = always.
OperationPaths LayerPaths(const Profile& profile, const Levels& levels,
                          std::span<const PhaseOperation> operations,
                          std::span<const LevelWindow> windows);

// The same by node, for SumByLevel: only nodes of which it says more than the tree. Sorted by node.
std::vector<LayerShare> LayerShares(const Levels& levels,
                                    std::span<const PhaseOperation> operations,
                                    const OperationPaths& of);

}  // namespace gprofx
