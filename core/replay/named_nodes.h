// Finds the nodes that the name in a change refers to. Used inside core/replay only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns, by NodeId::index(), true for nodes in the function, operator, kernel or layer `name`, or
// under the line `name` ("train.py:12"). An empty name matches all nodes.
std::vector<bool> NamedNodes(const Profile& profile, const std::string& name);

}  // namespace gprofx
