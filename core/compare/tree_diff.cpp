#include "core/compare/tree_diff.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/compare/key.h"
#include "core/gpu/gpu.h"
#include "core/views/call_tree.h"
#include "core/views/group.h"
#include "core/views/view.h"

namespace gprofx::compare {
namespace {

constexpr char kSmaller[] = "[smaller branches]";

MetricId GpuMetric(const Profile& profile) {
  const MetricId estimated = profile.FindMetric(kMetricGpuEstimated);
  return estimated ? estimated : profile.FindMetric(kMetricGpu);
}

// Returns a flag for each node: whether it is kept. The `most` nodes with the largest weights are.
// A parent weighs at least as much as its children and precedes them, so the parents of kept nodes
// are kept, too. Nodes without weight are not kept.
std::vector<bool> ChooseKept(const std::vector<double>& weights, size_t most) {
  std::vector<uint32_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0u);
  most = std::min(std::max<size_t>(most, 1), order.size());
  std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(most) - 1, order.end(),
                   [&](uint32_t a, uint32_t b) {
                     return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
                   });
  std::vector<bool> kept(weights.size());
  for (size_t i = 0; i < most; ++i) kept[order[i]] = weights[order[i]] > 0;
  return kept;
}

}  // namespace

TreeMerge::TreeMerge(std::map<std::string, std::string> renamed) : renamed_(std::move(renamed)) {
  all_.nodes.emplace_back();
  all_.functions.push_back(PartOf({FrameKind::kRoot, "[all]"}));
  all_.keys.emplace_back();
  is_of_head_.push_back(true);
}

void TreeMerge::Add(const Profile& profile, Side side, CodeView code) {
  const Result<MetricId> clock = ChooseMetric(profile, "");
  size_t slot = 0;
  for (const MetricId metric : {clock ? *clock : MetricId{}, GpuMetric(profile)}) {
    if (metric) AddMetric(profile, metric, side, code, slot);
    ++slot;
  }
}

void TreeMerge::AddMetric(const Profile& profile, MetricId metric, Side side, CodeView code,
                          size_t slot) {
  if (all_.metrics.size() <= slot) all_.metrics.resize(slot + 1);
  TreeDiff::Metric& sums = all_.metrics[slot];
  sums.name = profile.metrics[metric.index()].name;
  const CallTree frames =
      BuildCallTree(profile, metric, Kept(profile.nodes.size(), 1), false, nullptr, code);
  const Groups functions = GroupNodes(profile, frames, By::kFunction);
  const CallTree tree = Regroup(frames, functions.of_node);
  std::vector<uint32_t> function(functions.first.size() + 1), place(tree.nodes.size());
  std::vector<int64_t>& self = sums.self[static_cast<size_t>(side)];
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.total == 0 && i > 0) continue;
    if (i > 0) {
      uint32_t& known = function[node.key];
      if (known == 0) known = FunctionOf(PartOf(LabelOf(profile, functions, node.key)), side);
      place[i] = ChildOf(place[node.parent], known);
    }
    if (self.size() <= place[i]) self.resize(all_.nodes.size());
    self[place[i]] = AddSaturated(self[place[i]], node.self);
  }
}

uint32_t TreeMerge::FunctionOf(const Part& part, Side side) {
  std::string key = KeyOf(part.kind, part.name, part.file, part.module);
  if (side == Side::kBase) {
    if (const auto other = renamed_.find(key); other != renamed_.end()) key = other->second;
  }
  const auto [found, made] = function_of_.try_emplace(key, all_.functions.size());
  const uint32_t function = found->second;
  if (made) {
    all_.functions.push_back(part);
    all_.keys.push_back(std::move(key));
    is_of_head_.push_back(side == Side::kHead);
  } else if (side == Side::kHead && !is_of_head_[function]) {
    all_.functions[function] = part;
    is_of_head_[function] = true;
  }
  return function;
}

uint32_t TreeMerge::ChildOf(uint32_t parent, uint32_t function) {
  const auto [found, made] =
      child_of_.try_emplace(uint64_t{parent} << 32 | function, all_.nodes.size());
  if (made) all_.nodes.push_back({parent, function});
  return found->second;
}

// Returns the weight of each node: the largest share of any metric on any side that its subtree
// has.
std::vector<double> TreeMerge::Weights() const {
  std::vector<double> weights(all_.nodes.size());
  for (const TreeDiff::Metric& metric : all_.metrics) {
    for (const std::vector<int64_t>& self : metric.self) {
      std::vector<double> sums(self.begin(), self.end());
      for (size_t i = sums.size() - 1; i > 0; --i) sums[all_.nodes[i].parent] += sums[i];
      for (size_t i = 0; sums[0] > 0 && i < sums.size(); ++i) {
        weights[i] = std::max(weights[i], sums[i] / sums[0]);
      }
    }
  }
  weights[0] = 2;  // always keep the root
  return weights;
}

TreeDiff TreeMerge::Finish(size_t most_nodes) {
  for (TreeDiff::Metric& metric : all_.metrics) {
    for (std::vector<int64_t>& self : metric.self) self.resize(all_.nodes.size());
  }
  const std::vector<double> weights = Weights();
  const std::vector<bool> kept = ChooseKept(weights, most_nodes);
  std::vector<TreeDiff::Node> whole = std::exchange(all_.nodes, {{}});
  std::vector<TreeDiff::Metric> sums = std::exchange(all_.metrics, {});
  std::vector<uint32_t> place(whole.size());
  uint32_t rest = 0;
  child_of_.clear();
  for (size_t i = 1; i < whole.size(); ++i) {
    const uint32_t above = place[whole[i].parent];
    place[i] = above;
    if (kept[i]) {
      place[i] = ChildOf(above, whole[i].function);
    } else if (weights[i] > 0) {
      ++all_.left_out;
      if (rest == 0) rest = FunctionOf(PartOf({FrameKind::kTruncated, kSmaller}), Side::kHead);
      if (all_.nodes[above].function != rest) place[i] = ChildOf(above, rest);
    }
  }
  for (TreeDiff::Metric& metric : sums) {
    TreeDiff::Metric cut{std::move(metric.name), {}};
    for (size_t side = 0; side < kSides; ++side) {
      cut.self[side].resize(all_.nodes.size());
      for (size_t i = 0; i < place.size(); ++i) {
        int64_t& sum = cut.self[side][place[i]];
        sum = AddSaturated(sum, metric.self[side][i]);
      }
    }
    all_.metrics.push_back(std::move(cut));
  }
  DropUnusedFunctions();
  return std::move(all_);
}

void TreeMerge::DropUnusedFunctions() {
  std::vector<Part> functions = {std::move(all_.functions[0])};
  std::vector<std::string> keys = {std::move(all_.keys[0])};
  std::vector<uint32_t> place(all_.functions.size());
  for (size_t i = 1; i < all_.nodes.size(); ++i) {
    uint32_t& function = all_.nodes[i].function;
    if (place[function] == 0) {
      place[function] = static_cast<uint32_t>(functions.size());
      functions.push_back(std::move(all_.functions[function]));
      keys.push_back(std::move(all_.keys[function]));
    }
    function = place[function];
  }
  all_.functions = std::move(functions);
  all_.keys = std::move(keys);
}

}  // namespace gprofx::compare
