// Fusion as torch.compile does it: chains of row-wise kernels become one kernel that reads what
// comes from outside and writes what goes on. Pure; any thread.
#pragma once

#include <vector>

#include "core/forecast/graph.h"

namespace gprofx::forecast {

// The nodes of `graph` with chains merged: a node whose only computing input has no other consumer
// joins it. Nodes that the graph names as fused are one kernel each. Products stay alone.
std::vector<GraphNode> FuseNodes(const ModelGraph& graph);

}  // namespace gprofx::forecast
