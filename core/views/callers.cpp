#include "core/views/callers.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/base/arithmetic.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

// A group of stacks with the same callers so far, which can be split by their next caller.
struct Open {
  uint32_t inverted = 0;          // node of the inverted tree
  std::vector<uint32_t> sources;  // occurrences of the target
  // For each source: the frame of its stack that `inverted` represents.
  std::vector<uint32_t> positions;
  int64_t total = 0;

  bool operator<(const Open& other) const {
    return total != other.total ? total < other.total : inverted > other.inverted;
  }
};

int64_t Less(int64_t a, int64_t b) {
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  return AddSaturated(a, b == kSmallest ? std::numeric_limits<int64_t>::max() : -b);
}

std::string_view LastPart(std::string_view name) {
  name = name.substr(0, name.find_first_of("<("));
  const size_t scope = name.rfind("::");
  if (scope != std::string_view::npos) return name.substr(scope + 2);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::vector<uint32_t> OutermostOccurrences(const CallTree& tree, const Groups& groups,
                                           const std::vector<uint32_t>& targets) {
  std::vector<uint8_t> is_target(groups.first.size() + 1);
  for (const uint32_t target : targets) is_target[target] = 1;
  std::vector<uint8_t> inside(tree.nodes.size());  // at or below an occurrence
  std::vector<uint32_t> found;
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    inside[i] = inside[node.parent];
    if (inside[i] != 0 || is_target[groups.of_node[i]] == 0) continue;
    inside[i] = 1;
    if (node.total != 0) found.push_back(i);
  }
  return found;
}

}  // namespace

std::vector<uint32_t> FindGroups(const Profile& profile, const Groups& groups,
                                 std::string_view name) {
  std::vector<uint32_t> full, last, part;
  for (uint32_t group = 1; group <= groups.first.size(); ++group) {
    const std::string text = LabelOf(profile, groups, group).name;
    if (text == name || WithoutLocals(text) == name) full.push_back(group);
    if (LastPart(text) == name) last.push_back(group);
    if (text.find(name) != std::string::npos) part.push_back(group);
  }
  return !full.empty() ? full : !last.empty() ? last : part;
}

std::vector<uint32_t> GroupsLike(const Profile& profile, const Groups& groups, FrameId frame) {
  const auto same = [&](const Frame& a, const Frame& b) {
    if (!a.function || !b.function) return a.function == b.function && a.module == b.module;
    // Kernels with the same name share a row, even if they are in several modules.
    const bool kernel = a.kind == FrameKind::kGpuKernel || a.kind == FrameKind::kGpuCopy;
    if (!kernel) return a.function == b.function;
    return profile.function(a.function).name == profile.function(b.function).name;
  };
  const auto kind = [](const Frame& f) {
    return f.kind == FrameKind::kInlined ? FrameKind::kNative : f.kind;
  };
  std::vector<uint32_t> found;
  if (!frame) return found;
  const Frame& wanted = profile.frame(frame);
  for (uint32_t group = 1; group <= groups.first.size(); ++group) {
    const Frame& first = profile.frame(groups.first[group - 1]);
    if (kind(first) == kind(wanted) && same(first, wanted)) found.push_back(group);
  }
  return found;
}

CallTree CallerTree(const CallTree& tree, const Groups& groups,
                    const std::vector<uint32_t>& targets, size_t most) {
  CallTree inverted;
  inverted.nodes.emplace_back();
  const std::vector<uint32_t> occurrences = OutermostOccurrences(tree, groups, targets);
  std::priority_queue<Open> open;
  // Groups `stacks` by their next frame towards the root, and adds a node below `parent` of the
  // inverted tree for each group.
  const auto split = [&](uint32_t parent, std::vector<std::pair<uint32_t, uint32_t>> stacks) {
    const auto group_of = [&](uint32_t node) { return groups.of_node[node]; };
    std::stable_sort(stacks.begin(), stacks.end(), [&](const auto& a, const auto& b) {
      return group_of(a.second) < group_of(b.second);
    });
    for (size_t i = 0; i < stacks.size();) {
      Open next;
      const uint32_t group = group_of(stacks[i].second);
      next.inverted = static_cast<uint32_t>(inverted.nodes.size());
      TreeNode node{parent, group};
      for (; i < stacks.size() && group_of(stacks[i].second) == group; ++i) {
        const TreeNode& source = tree.nodes[stacks[i].first];
        next.sources.push_back(stacks[i].first);
        next.positions.push_back(stacks[i].second);
        next.total = AddSaturated(next.total, source.total);
        node.total_samples = AddSaturated(node.total_samples, source.total_samples);
      }
      node.total = next.total;
      inverted.nodes.push_back(node);
      open.push(std::move(next));
    }
  };

  std::vector<std::pair<uint32_t, uint32_t>> start;
  for (const uint32_t node : occurrences) start.emplace_back(node, node);
  split(0, std::move(start));
  while (!open.empty() && inverted.nodes.size() < most) {
    const Open current = open.top();
    open.pop();
    std::vector<std::pair<uint32_t, uint32_t>> callers;
    for (size_t i = 0; i < current.sources.size(); ++i) {
      const uint32_t caller = tree.nodes[current.positions[i]].parent;
      if (caller != 0) callers.emplace_back(current.sources[i], caller);
    }
    split(current.inverted, std::move(callers));
  }

  // The self time of an inverted node is that of the stacks that begin there: its total minus the
  // totals of its children.
  for (TreeNode& node : inverted.nodes)
    node.self = node.total, node.self_samples = node.total_samples;
  TreeNode& root = inverted.nodes[0];
  for (size_t i = inverted.nodes.size() - 1; i > 0; --i) {
    TreeNode& parent = inverted.nodes[inverted.nodes[i].parent];
    if (&parent == &root) {
      root.total = AddSaturated(root.total, inverted.nodes[i].total);
      root.total_samples = AddSaturated(root.total_samples, inverted.nodes[i].total_samples);
    } else {
      parent.self = Less(parent.self, inverted.nodes[i].total);
      parent.self_samples = Less(parent.self_samples, inverted.nodes[i].total_samples);
    }
  }
  root.self = root.self_samples = 0;
  return inverted;
}

}  // namespace gprofx
