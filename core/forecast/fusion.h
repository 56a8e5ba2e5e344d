// Fusion as in torch.compile: a chain of row-wise kernels becomes one kernel, which reads the
// inputs of the chain and writes its output. Pure; any thread.
#pragma once

#include <vector>

#include "core/forecast/graph.h"

namespace gprofx::forecast {

// Returns the nodes of `graph` with chains merged: a node is merged with the node that produces its
// input if that is its only input that is computed, and no other node reads it. Nodes that the
// graph marks as fused are one kernel each. Products are not merged.
std::vector<GraphNode> FuseNodes(const ModelGraph& graph);

}  // namespace gprofx::forecast
