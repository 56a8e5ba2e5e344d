// Resolves the name or line in a change. Used inside core/replay only.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// By NodeId::index(): true if the node lies in the function, operator, kernel or layer of that
// name, or under the line "train.py:12". An empty name matches everything.
std::vector<bool> NamedNodes(const Profile& profile, const std::string& name);

}  // namespace gprofx
