// Who calls a function: the tree upside down.
//
// The first node below the root is the function, its children are its callers, and so on outwards.
// Each stack counts once, at the outermost place where the function stands, with all the time below
// it. The tree is grown best first and stops at `most` nodes, so that deep recursion cannot make it
// larger than the profile; what was not grown stays as self time of the last caller that was.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/views/call_tree.h"
#include "core/views/group.h"

namespace gprofx {

// Groups whose name is `name`; if none, whose name without namespaces, parameters and template
// arguments is; if none, whose name holds it. Empty = no such function.
std::vector<uint32_t> FindGroups(const Profile& profile, const Groups& groups,
                                 std::string_view name);

// Groups of what `frame` is a frame of: the same function, whatever its lines, or kernel.
std::vector<uint32_t> GroupsLike(const Profile& profile, const Groups& groups, FrameId frame);

// `groups` are those of `tree`; the keys of the result are groups.
CallTree CallerTree(const CallTree& tree, const Groups& groups,
                    const std::vector<uint32_t>& targets, size_t most);

}  // namespace gprofx
