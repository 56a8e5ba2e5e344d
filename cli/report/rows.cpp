#include "cli/report/rows.h"

#include <algorithm>
#include <unordered_map>

#include "cli/report/seen_as.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

struct Heat {  // how much of a row's time was seen as one line
  int64_t self = 0, total = 0;
};

class RowCollector {
 public:
  RowCollector(const Profile& profile, const CallTree& tree, const Groups& groups)
      : tree_(tree), groups_(groups), seen_(profile, tree.nodes.size()) {
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
      seen_.Visit(i, tree.nodes[i].parent, FrameId{tree.nodes[i].key});
    }
    rows_.resize(groups.first.size() + 1);
    on_path_.resize(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i].group = static_cast<uint32_t>(i);
  }

  uint32_t GroupOf(uint32_t node) const {
    return node == 0 ? 0 : groups_.of_frame[tree_.nodes[node].key];
  }

  void AddSelf(uint32_t node, uint32_t group) {
    const TreeNode& values = tree_.nodes[node];
    Row& row = rows_[group];
    row.self = AddSaturated(row.self, values.self);
    row.self_samples = AddSaturated(row.self_samples, values.self_samples);
    const FrameId line = seen_.Of(node);
    if (values.self == 0 || !line) return;
    Heat& heat = heats_[(uint64_t{group} << 32) | line.value];
    heat.self = AddSaturated(heat.self, values.self);
  }

  void Enter(uint32_t node, uint32_t group) {
    if (on_path_[group]++ != 0) return;  // counted by the outermost one
    const TreeNode& values = tree_.nodes[node];
    Row& row = rows_[group];
    row.total = AddSaturated(row.total, values.total);
    row.total_samples = AddSaturated(row.total_samples, values.total_samples);
    const FrameId line = seen_.Of(node);
    if (!line) return;
    Heat& heat = heats_[(uint64_t{group} << 32) | line.value];
    heat.total = AddSaturated(heat.total, values.total);
  }

  void Leave(uint32_t group) { --on_path_[group]; }

  std::vector<Row> Finish() {
    ChooseSeenAs();
    // Group 0 has no outermost node: its time is what reached nobody.
    rows_[0].total = rows_[0].self;
    rows_[0].total_samples = rows_[0].self_samples;
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(),
                               [](const Row& row) {
                                 return row.self == 0 && row.total == 0 && row.total_samples == 0;
                               }),
                rows_.end());
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      if (a.self != b.self) return a.self > b.self;
      if (a.total != b.total) return a.total > b.total;
      return a.group < b.group;
    });
    return std::move(rows_);
  }

 private:
  void ChooseSeenAs() {
    std::vector<Heat> best(rows_.size());
    for (const auto& [key, heat] : heats_) {
      const auto group = static_cast<uint32_t>(key >> 32);
      const FrameId frame{static_cast<uint32_t>(key)};
      Heat& top = best[group];
      FrameId& chosen = rows_[group].seen_as;
      const bool equal = heat.self == top.self && heat.total == top.total;
      const bool hotter = heat.self != top.self ? heat.self > top.self : heat.total > top.total;
      // The order of a hash table must not show: equal heats are decided by the frame's number.
      if (chosen && !hotter && !(equal && frame < chosen)) continue;
      top = heat;
      chosen = frame;
    }
  }

  const CallTree& tree_;
  const Groups& groups_;
  SeenAs seen_;
  std::vector<Row> rows_;
  std::vector<uint32_t> on_path_;
  std::unordered_map<uint64_t, Heat> heats_;  // (group, seen-as frame)
};

std::vector<Row> Collect(const Profile& profile, const CallTree& tree, const Groups& groups,
                         bool give_to_parent) {
  RowCollector rows(profile, tree, groups);
  const ChildTable children = ChildrenOf(tree);
  struct Step {
    uint32_t node, next_child, group;  // group: that of the node, or what it inherits
    bool entered;
  };
  std::vector<Step> path;
  const auto visit = [&](uint32_t node, uint32_t inherited) {
    const uint32_t own = rows.GroupOf(node);
    const uint32_t group = own == 0 && give_to_parent ? inherited : own;
    rows.AddSelf(node, group);
    if (own != 0) rows.Enter(node, own);
    path.push_back({node, children.begin[node], group, own != 0});
  };
  visit(0, 0);
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next_child == children.begin[step.node + 1]) {
      if (step.entered) rows.Leave(step.group);
      path.pop_back();
      continue;
    }
    const uint32_t child = children.list[step.next_child++];
    visit(child, step.group);
  }
  return rows.Finish();
}

}  // namespace

std::vector<Row> FlatRows(const Profile& profile, const CallTree& tree, const Groups& groups) {
  return Collect(profile, tree, groups, false);
}

std::vector<Row> LineRows(const Profile& profile, const CallTree& tree, const Groups& groups) {
  return Collect(profile, tree, groups, true);
}

}  // namespace gprofx
