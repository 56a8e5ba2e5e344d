// Fuses the kernels of a graph as torch.compile does: a chain of row-wise kernels becomes one
// kernel, which reads the inputs of the chain and writes its output. Pure; any thread.
#pragma once

#include <vector>

#include "core/forecast/graph.h"

namespace gprofx::forecast {

// Returns the nodes of `graph` with chains merged. A node is merged into the node that computes its
// input if no other of its inputs is computed and no other node reads that input. A node that the
// graph marks as fused becomes one kernel. Products are not merged.
std::vector<GraphNode> FuseNodes(const ModelGraph& graph);

}  // namespace gprofx::forecast
