#include "core/totals.h"

#include "core/arithmetic.h"

namespace gprofx {

std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread) {
  std::vector<int64_t> self(profile.nodes.size());
  for (const Value& value : profile.values) {
    if (value.metric != metric || (thread && value.thread != thread)) continue;
    int64_t& sum = self[value.node.index()];
    sum = AddSaturated(sum, value.self);
  }
  return self;
}

std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self) {
  std::vector<int64_t> inclusive(self.begin(), self.end());
  // Parents come before children, so one backward pass hands every subtree to its parent.
  for (size_t i = profile.nodes.size(); i-- > 1;) {
    int64_t& above = inclusive[profile.nodes[i].parent.index()];
    above = AddSaturated(above, inclusive[i]);
  }
  return inclusive;
}

ChildLists Children(const Profile& profile) {
  ChildLists lists;
  lists.first.resize(profile.nodes.size());
  lists.next.resize(profile.nodes.size());
  for (size_t i = profile.nodes.size(); i-- > 1;) {
    NodeId& first = lists.first[profile.nodes[i].parent.index()];
    lists.next[i] = first;
    first = NodeId{static_cast<uint32_t>(i + 1)};
  }
  return lists;
}

std::vector<SelfTotal> TotalsByGroup(const Profile& profile, std::span<const int64_t> self,
                                     std::span<const uint32_t> group_of_frame, size_t group_count) {
  std::vector<SelfTotal> totals(group_count);
  const std::vector<int64_t> inclusive = InclusiveByNode(profile, self);
  const ChildLists children = Children(profile);
  std::vector<uint32_t> open(group_count);  // nodes of the group on the path to the current node

  const auto group_of = [&](NodeId node) {
    return group_of_frame[profile.node(node).frame.index()];
  };
  const auto enter = [&](NodeId node) {
    const uint32_t group = group_of(node);
    if (group == kNoGroup) return;
    SelfTotal& sums = totals[group];
    sums.self = AddSaturated(sums.self, self[node.index()]);
    if (open[group]++ == 0) sums.total = AddSaturated(sums.total, inclusive[node.index()]);
  };
  const auto leave = [&](NodeId node) {
    if (const uint32_t group = group_of(node); group != kNoGroup) --open[group];
  };

  // Depth first without recursion: trees may be as deep as the stacks that were recorded.
  for (NodeId node = profile.root(); node;) {
    enter(node);
    if (const NodeId child = children.first[node.index()]) {
      node = child;
      continue;
    }
    leave(node);
    while (node && !children.next[node.index()]) {
      node = profile.node(node).parent;
      if (node) leave(node);
    }
    if (node) node = children.next[node.index()];
  }
  return totals;
}

std::vector<uint32_t> GroupByFunction(const Profile& profile) {
  std::vector<uint32_t> groups;
  groups.reserve(profile.frames.size());
  for (const Frame& frame : profile.frames) {
    groups.push_back(frame.function ? static_cast<uint32_t>(frame.function.index()) : kNoGroup);
  }
  return groups;
}

}  // namespace gprofx
