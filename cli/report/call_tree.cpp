#include "cli/report/call_tree.h"

#include <unordered_map>

#include "cli/report/fold.h"
#include "cli/report/names.h"
#include "core/arithmetic.h"

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
    const StringId file = frame.file       ? frame.file
                          : frame.function ? profile.function(frame.function).file
                                           : StringId{};
    if (name == 1 || !file) continue;
    const auto [found, asked] = files.try_emplace(file.value, false);
    if (asked) found->second = pattern.Matches(profile.Text(file));
    matches[i] = found->second ? 1 : 0;
  }
  return matches;
}

}  // namespace

std::vector<uint8_t> KeptStacks(const Profile& profile, const TreeRequest& request) {
  constexpr uint8_t kFocused = 1, kIgnored = 2;
  std::vector<uint8_t> focus, ignore;
  if (request.focus) focus = MatchingFrames(profile, *request.focus);
  if (request.ignore) ignore = MatchingFrames(profile, *request.ignore);
  std::vector<uint8_t> state(profile.nodes.size());
  for (size_t i = 0; i < state.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (node.parent) state[i] = state[node.parent.index()];
    if (!node.frame) continue;
    if (!focus.empty() && focus[node.frame.index()] != 0) state[i] |= kFocused;
    if (!ignore.empty() && ignore[node.frame.index()] != 0) state[i] |= kIgnored;
  }
  for (uint8_t& flags : state) {
    const bool focused = !request.focus || (flags & kFocused) != 0;
    flags = focused && (flags & kIgnored) == 0 ? 1 : 0;
  }
  return state;
}

bool IsGpuMetric(const Metric& metric) {
  return metric.name.rfind("gpu", 0) == 0 || metric.name.rfind(kMetricStallPrefix, 0) == 0;
}

int64_t MetricSum(const Profile& profile, MetricId metric) {
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == metric) sum = AddSaturated(sum, value.self);
  }
  return sum;
}

CallTree BuildCallTree(const Profile& profile, const TreeRequest& request) {
  struct Weight {
    int64_t self = 0, samples = 0;
  };
  std::vector<Weight> weights(profile.nodes.size());
  const MetricId samples = request.metric && IsGpuMetric(profile.metrics[request.metric.index()])
                               ? MetricId{}
                               : profile.FindMetric("samples");
  for (const Value& value : profile.values) {
    if (!value.node) continue;
    Weight& weight = weights[value.node.index()];
    if (value.metric == request.metric) weight.self = AddSaturated(weight.self, value.self);
    if (samples && value.metric == samples) {
      weight.samples = AddSaturated(weight.samples, value.self);
    }
  }

  const std::vector<uint8_t> kept = KeptStacks(profile, request);
  const std::vector<uint8_t> fold =
      request.all_frames ? std::vector<uint8_t>(profile.frames.size()) : FoldableFrames(profile);
  TreeBuilder builder(profile.nodes.size());
  std::vector<uint32_t> view_of(profile.nodes.size());  // node -> node of the view
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
    const uint32_t key = i == 0 ? 0 : key_of[node.key];
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
