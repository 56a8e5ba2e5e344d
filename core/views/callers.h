// Builds the tree of a function's callers, which is the call tree upside down.
//
// The first node below the root is the function, its children are its callers, and so on. Each
// stack counts once, at the outermost occurrence of the function, with all the time below it. The
// tree grows at the largest node first and stops at `most` nodes, because deep recursion could make
// it larger than the profile. The time of callers without a node is self time of the last node of
// their stack.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/views/call_tree.h"
#include "core/views/group.h"

namespace gprofx {

// Finds the groups of a function by its name. Returns the groups with exactly this name. If there
// are none, returns those whose name without namespaces, parameters and template arguments is
// `name`. If there are none, returns those whose name contains `name`.
std::vector<uint32_t> FindGroups(const Profile& profile, const Groups& groups,
                                 std::string_view name);

// Returns all groups of the function or kernel of `frame`, whatever their line.
std::vector<uint32_t> GroupsLike(const Profile& profile, const Groups& groups, FrameId frame);

// Returns the tree of the callers of the groups `targets`. `groups` must be those of `tree`; the
// keys of the result are groups, too.
CallTree CallerTree(const CallTree& tree, const Groups& groups,
                    const std::vector<uint32_t>& targets, size_t most);

}  // namespace gprofx
