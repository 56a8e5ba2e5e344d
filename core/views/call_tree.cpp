#include "core/views/call_tree.h"

#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/model/inherit.h"
#include "core/model/libraries.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

// Builds a CallTree node by node.
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

  // Computes the totals and returns the tree. Children come after their parents, so one backward
  // pass is enough.
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

// True if stacks begin at the children of this node of the view. That holds for the root and for
// markers, such as the one between the launch of a CUDA graph and its capture.
bool StartsStack(const Profile& profile, const TreeNode& node) {
  return node.key == 0 || profile.frame(FrameId{node.key}).kind == FrameKind::kMarker;
}

// Returns a flag for each frame: its name or its file matches `pattern`.
std::vector<uint8_t> MatchingFrames(const Profile& profile, const Pattern& pattern) {
  std::unordered_map<uint32_t, bool> files;                         // many frames share few files
  std::vector<uint8_t> functions(profile.functions.size() + 1, 2);  // 2 = not checked yet
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
  if (!metric) return 0;
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == metric) sum = AddSaturated(sum, value.self);
  }
  return sum;
}

namespace {

struct Weight {
  int64_t self = 0, samples = 0;
};

std::vector<Weight> WeightsOf(const Profile& profile, MetricId metric) {
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
  return weights;
}

// What the Python view must know about a node. `python` is true if a Python frame is at the node or
// above it.
struct Surroundings {
  bool python = false;
  ModuleId library;  // of the native code at the node; 0 = the interpreter, or none
};

std::vector<Surroundings> SurroundingsOf(const Profile& profile, const Folding& folding) {
  std::vector<uint8_t> runtime;  // 1 = C runtime, whose time counts for the calling library
  for (const Module& module : profile.modules) {
    runtime.push_back(IsCRuntime(profile.Text(module.path)) ? 1 : 0);
  }
  return InheritDown<Surroundings>(profile.nodes, [&](Surroundings above, FrameId id) {
    if (!id) return above;
    const Frame& frame = profile.frame(id);
    if (frame.kind == FrameKind::kPython) return Surroundings{true, {}};
    if (frame.kind != FrameKind::kNative && frame.kind != FrameKind::kInlined) return above;
    if (folding.interpreter[id.index()] != 0) return Surroundings{above.python, {}};
    const bool works_for_caller =
        above.library && frame.module && runtime[frame.module.index()] != 0;
    return works_for_caller ? above : Surroundings{above.python, frame.module};
  });
}

// Returns the frame of a node. If it is inlined, returns the frame of the function into which it is
// inlined. Builds with and without debug information then give the same result.
FrameId FunctionAround(const Profile& profile, size_t node) {
  const Node* at = &profile.nodes[node];
  while (profile.frame(at->frame).kind == FrameKind::kInlined) {
    const Node& above = profile.nodes[at->parent.index()];
    if (!above.parent || !above.frame) break;
    at = &above;
  }
  return at->frame;
}

// Finds for each node of the profile the node of the view in which it is shown.
class NodeFolder {
 public:
  NodeFolder(const Profile& profile, const Folding& folding, CodeView code,
             std::span<const uint8_t> own)
      : profile_(profile),
        folding_(folding),
        code_(code),
        own_(own),
        builder_(profile.nodes.size()) {
    if (code == CodeView::kPython) around_ = SurroundingsOf(profile, folding);
  }

  TreeBuilder& builder() { return builder_; }
  // Returns the surroundings of each node of the profile. Empty unless the view is
  // CodeView::kPython.
  const std::vector<Surroundings>& around() const { return around_; }

  // Returns the view node for a profile node whose parent is shown as `parent`. Returns `parent`
  // itself if the node is folded.
  uint32_t PlaceOf(size_t node, FrameId id, uint32_t parent) {
    if (!own_.empty()) return own_[id.index()] != 0 ? builder_.Child(parent, id.value) : parent;
    switch (folding_.fold[id.index()]) {
      case Fold::kAlways:
        return parent;
      case Fold::kAtStart:
        if (StartsStack(profile_, builder_.node(parent))) return parent;
        return code_ == CodeView::kPython ? LibraryPlace(node, id, parent)
                                          : builder_.Child(parent, id.value);
      case Fold::kLibrary:
        return LibraryPlace(node, id, parent);
      case Fold::kStays:
        break;
    }
    const Family family = folding_.family[id.index()];
    return family == Family::kNone ? builder_.Child(parent, id.value) : FamilyPlace(family, parent);
  }

 private:
  uint32_t LibraryPlace(size_t node, FrameId id, uint32_t parent) {
    if (around_[node].python) return parent;
    const ModuleId module = profile_.frame(id).module;
    const uint32_t key = module ? folding_.of_library[module.index()].value : id.value;
    return builder_.node(parent).key == key ? parent : builder_.Child(parent, key);
  }

  uint32_t FamilyPlace(Family family, uint32_t parent) {
    const uint32_t key = folding_.of_family[static_cast<size_t>(family)].value;
    const FrameId above{builder_.node(parent).key};
    const bool inside = above && folding_.interpreter[above.index()] != 0;
    const bool own = !inside || (family == Family::kGc && above.value != key);
    return own ? builder_.Child(parent, key) : parent;
  }

  const Profile& profile_;
  const Folding& folding_;
  const CodeView code_;
  const std::span<const uint8_t> own_;  // by FrameId::index(); empty = all code
  TreeBuilder builder_;
  std::vector<Surroundings> around_;
};

}  // namespace

CallTree BuildCallTree(const Profile& profile, MetricId metric, const Kept& kept, bool all_frames,
                       std::vector<uint32_t>* holder_of, CodeView code,
                       std::span<const uint8_t> own) {
  const std::vector<Weight> weights = WeightsOf(profile, metric);
  Folding folding = FoldFrames(profile, code, all_frames);
  folding.own = !own.empty();
  NodeFolder folder(profile, folding, code, own);
  std::vector<NativePart> native;
  std::vector<uint32_t> view_of(profile.nodes.size());  // profile node -> view node
  if (holder_of != nullptr) holder_of->assign(profile.nodes.size(), kNoHolder);
  for (size_t i = 0; i < profile.nodes.size(); ++i) {
    const Node& node = profile.nodes[i];
    const uint32_t parent = node.parent ? view_of[node.parent.index()] : 0;
    uint32_t holder = view_of[i] = parent;
    if (node.parent && node.frame) {
      holder = view_of[i] = folder.PlaceOf(i, node.frame, parent);
      // If no shown ancestor can take the time of a folded frame, the frame is shown under the name
      // of its function.
      const bool has_time = holder_of != nullptr || weights[i].self != 0 || weights[i].samples != 0;
      if (holder == 0 && own.empty() && kept[i] != 0 && has_time) {
        holder = folder.builder().Child(0, FunctionAround(profile, i).value);
      }
    }
    if (kept[i] == 0) continue;
    if (holder_of != nullptr) (*holder_of)[i] = holder;
    TreeNode& target = folder.builder().node(holder);
    target.self = AddSaturated(target.self, weights[i].self);
    target.self_samples = AddSaturated(target.self_samples, weights[i].samples);
    if (weights[i].self == 0 || folder.around().empty()) continue;
    const Surroundings& around = folder.around()[i];
    if (!around.python || holder == 0) continue;
    const bool waits = profile.frame(node.frame).kind == FrameKind::kIdle;
    if (!waits && !around.library) continue;
    native.push_back({holder, waits ? ModuleId{} : around.library, weights[i].self});
  }
  CallTree tree = folder.builder().Finish();
  tree.folding = std::move(folding);
  tree.native = std::move(native);
  return tree;
}

CallTree Regroup(const CallTree& tree, const std::vector<uint32_t>& key_of,
                 std::vector<uint32_t>* places) {
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
  if (places != nullptr) *places = std::move(place);
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
