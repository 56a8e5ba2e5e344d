// Callers of a function: the tree upside down.
//
// The first node below the root is the function, its children are its callers, and so on outwards.
// Each stack counts once, at the outermost occurrence of the function, with all the time below it.
// The tree grows largest node first and stops at `most` nodes, so that deep recursion cannot make
// it larger than the profile. Time that was not expanded stays as self time of the last caller that
// was.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/views/call_tree.h"
#include "core/views/group.h"

namespace gprofx {

// Returns the groups whose name is `name`; if none, those whose name without namespaces, parameters
// and template arguments is `name`; if none, those whose name contains it. Empty if there is no
// such function.
std::vector<uint32_t> FindGroups(const Profile& profile, const Groups& groups,
                                 std::string_view name);

// Returns the groups of the function of `frame`, whatever its lines, or of its kernel.
std::vector<uint32_t> GroupsLike(const Profile& profile, const Groups& groups, FrameId frame);

// `groups` are those of `tree`; the keys of the result are groups.
CallTree CallerTree(const CallTree& tree, const Groups& groups,
                    const std::vector<uint32_t>& targets, size_t most);

}  // namespace gprofx
