#include "core/views/call_tree.h"

#include <unordered_map>

#include "core/arithmetic.h"
#include "core/inherit.h"
#include "core/views/fold.h"
#include "core/views/names.h"

namespace gprofx {
namespace {

// Builds a CallTree by finding or making children.
class TreeBuilder {
 public:
  explicit TreeBuilder(size_t expected) {
    tree_.nodes.reserve(expected + 1);
    tree_.nodes.emplace_back();
    index_.reserve(expected);
  }

  uint32_t Child(uint32_t parent, uint32_t key) {
    const auto next = static_cast<uint32_t>(tree_.nodes.size());
    const auto [found, made] = index_.try_emplace((uint64_t{parent} << 32) | key, next);
    if (made) tree_.nodes.push_back({parent, key});
    return found->second;
  }

  TreeNode& node(uint32_t index) { return tree_.nodes[index]; }

  // Totals from the leaves up: children come after their parents.
  CallTree Finish() {
    std::vector<TreeNode>& nodes = tree_.nodes;
    for (TreeNode& node : nodes) node.total = node.self, node.total_samples = node.self_samples;
    for (size_t i = nodes.size() - 1; i > 0; --i) {
      TreeNode& parent = nodes[nodes[i].parent];
      parent.total = AddSaturated(parent.total, nodes[i].total);
      parent.total_samples = AddSaturated(parent.total_samples, nodes[i].total_samples);
    }
    return std::move(tree_);
  }

 private:
  CallTree tree_;
  std::unordered_map<uint64_t, uint32_t> index_;
};

// A node of the view below which a stack begins: the root, and what separates the launch of a CUDA
// graph from its capture.
bool StartsStack(const Profile& profile, const TreeNode& node) {
  return node.key == 0 || profile.frame(FrameId{node.key}).kind == FrameKind::kMarker;
}

// Whether a name or file of each frame matches.
std::vector<uint8_t> MatchingFrames(const Profile& profile, const Pattern& pattern) {
  std::unordered_map<uint32_t, bool> files;                         // many frames share few files
  std::vector<uint8_t> functions(profile.functions.size() + 1, 2);  // 2 = not asked yet
  std::vector<uint8_t> matches(profile.frames.size());
  for (size_t i = 0; i < matches.size(); ++i) {
    const Frame& frame = profile.frames[i];
    uint8_t nameless = 2;
    uint8_t& name = frame.function ? functions[frame.function.value] : nameless;
    if (name == 2) name = pattern.Matches(FrameName(profile, frame)) ? 1 : 0;
    matches[i] = name;
    const StringId file = FileOf(profile, frame);
    if (name == 1 || !file) continue;
    const auto [found, asked] = files.try_emplace(file.value, false);
    if (asked) found->second = pattern.Matches(profile.Text(file));
    matches[i] = found->second ? 1 : 0;
  }
  return matches;
}

}  // namespace

Kept KeptStacks(const Profile& profile, const Filters& filters) {
  if (!filters.focus && !filters.ignore) return Kept(profile.nodes.size(), 1);
  constexpr uint8_t kFocused = 1, kIgnored = 2;
  std::vector<uint8_t> own(profile.frames.size());
  const auto mark = [&](const std::optional<Pattern>& pattern, uint8_t flag) {
    if (!pattern) return;
    const std::vector<uint8_t> matches = MatchingFrames(profile, *pattern);
    for (size_t i = 0; i < own.size(); ++i) own[i] |= matches[i] != 0 ? flag : 0;
  };
  mark(filters.focus, kFocused);
  mark(filters.ignore, kIgnored);
  Kept kept = InheritDown<uint8_t>(profile.nodes, [&](uint8_t above, FrameId frame) {
    return static_cast<uint8_t>(above | (frame ? own[frame.index()] : 0));
  });
  const uint8_t wanted = filters.focus ? kFocused : 0;
  for (uint8_t& flags : kept) flags = flags == wanted ? 1 : 0;
  return kept;
}

bool IsGpuMetric(const Metric& metric) {
  return metric.name.starts_with("gpu") || metric.name.starts_with(kMetricStallPrefix);
}

int64_t MetricSum(const Profile& profile, MetricId metric) {
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == metric) sum = AddSaturated(sum, value.self);
  }
  return sum;
}

CallTree BuildCallTree(const Profile& profile, MetricId metric, const Kept& kept, bool all_frames,
                       std::vector<uint32_t>* holder_of) {
  struct Weight {
    int64_t self = 0, samples = 0;
  };
  std::vector<Weight> weights(profile.nodes.size());
  const MetricId samples = metric && IsGpuMetric(profile.metrics[metric.index()])
                               ? MetricId{}
                               : profile.FindMetric("samples");
  for (const Value& value : profile.values) {
    if (!value.node) continue;
    Weight& weight = weights[value.node.index()];
    if (value.metric == metric) weight.self = AddSaturated(weight.self, value.self);
    if (samples && value.metric == samples) {
      weight.samples = AddSaturated(weight.samples, value.self);
    }
  }

  const std::vector<uint8_t> fold =
      all_frames ? std::vector<uint8_t>(profile.frames.size()) : FoldableFrames(profile);
  TreeBuilder builder(profile.nodes.size());
  std::vector<uint32_t> view_of(profile.nodes.size());  // node -> node of the view
  if (holder_of != nullptr) holder_of->assign(profile.nodes.size(), kNoHolder);
  for (size_t i = 0; i < profile.nodes.size(); ++i) {
    const Node& node = profile.nodes[i];
    const uint32_t parent = node.parent ? view_of[node.parent.index()] : 0;
    view_of[i] = parent;
    uint32_t holder = parent;
    if (node.parent && node.frame) {
      const uint8_t flag = fold[node.frame.index()];
      const bool folded = flag == kFoldAlways ||
                          (flag == kFoldAtStart && StartsStack(profile, builder.node(parent)));
      if (!folded) view_of[i] = holder = builder.Child(parent, node.frame.value);
      // With nobody above to take it, the time of a folded frame stays under the frame's own name.
      const bool has_time = weights[i].self != 0 || weights[i].samples != 0;
      if (folded && parent == 0 && kept[i] != 0 && has_time) {
        holder = builder.Child(0, node.frame.value);
      }
    }
    if (kept[i] == 0) continue;
    if (holder_of != nullptr) (*holder_of)[i] = holder;
    TreeNode& target = builder.node(holder);
    target.self = AddSaturated(target.self, weights[i].self);
    target.self_samples = AddSaturated(target.self_samples, weights[i].samples);
  }
  return builder.Finish();
}

CallTree Regroup(const CallTree& tree, const std::vector<uint32_t>& key_of) {
  TreeBuilder builder(tree.nodes.size());
  std::vector<uint32_t> place(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    const uint32_t parent = place[node.parent];
    const uint32_t key = i == 0 ? 0 : key_of[i];
    place[i] = key == 0 ? parent : builder.Child(parent, key);
    TreeNode& target = builder.node(place[i]);
    target.self = AddSaturated(target.self, node.self);
    target.self_samples = AddSaturated(target.self_samples, node.self_samples);
  }
  return builder.Finish();
}

ChildTable ChildrenOf(const CallTree& tree) {
  ChildTable children;
  children.begin.assign(tree.nodes.size() + 1, 0);
  for (size_t i = 1; i < tree.nodes.size(); ++i) ++children.begin[tree.nodes[i].parent + 1];
  for (size_t i = 1; i < children.begin.size(); ++i) children.begin[i] += children.begin[i - 1];
  children.list.resize(tree.nodes.empty() ? 0 : tree.nodes.size() - 1);
  std::vector<uint32_t> next(children.begin);
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    children.list[next[tree.nodes[i].parent]++] = static_cast<uint32_t>(i);
  }
  return children;
}

}  // namespace gprofx
