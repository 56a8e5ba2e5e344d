// Derived numbers of a profile: self and inclusive values per node, self and total per group of
// frames.
//
// Pure functions, linear in nodes and values. Units are those of the metric. Recursion is counted
// once: a group's total is the sum over the outermost nodes of the group on each path, so no total
// exceeds the root's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/profile.h"

namespace gprofx {

// Self value of each node (NodeId::index()) in `metric`, of one thread or (thread 0) of all.
std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread = {});

// Self plus everything below, per node. The first element is the root's: the total of the metric.
std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self);

struct SelfTotal {
  int64_t self = 0;
  int64_t total = 0;
};

// `group_of_frame` maps FrameId::index() to a group below `group_count`, or to kNoGroup for frames
// that are left out.
constexpr uint32_t kNoGroup = UINT32_MAX;
std::vector<SelfTotal> TotalsByGroup(const Profile& profile, std::span<const int64_t> self,
                                     std::span<const uint32_t> group_of_frame, size_t group_count);

// Groups frames by their function: the group is FunctionId::index(), frames without a function have
// none.
std::vector<uint32_t> GroupByFunction(const Profile& profile);

// Children of every node without a vector each: first[n] is a node's first child, next[n] its next
// sibling, in increasing order of their ids; 0 = none.
struct ChildLists {
  std::vector<NodeId> first, next;
};
ChildLists Children(const Profile& profile);

}  // namespace gprofx
