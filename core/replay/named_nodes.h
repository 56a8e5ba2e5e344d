// Finds the nodes to which the name in a change of the program refers. Used inside core/replay
// only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns a flag for each node, by NodeId::index(). It is true for nodes in the function, operator,
// kernel or layer `name`, and for nodes under the line `name` ("train.py:12"). An empty name
// matches all nodes.
std::vector<bool> NamedNodes(const Profile& profile, const std::string& name);

}  // namespace gprofx
