#include "core/views/rows.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/views/naming/seen_as.h"
#include "core/views/waiting.h"

namespace gprofx {
namespace {

struct Heat {  // time of a row at one line
  int64_t self = 0, total = 0;
};

class RowCollector {
 public:
  RowCollector(const Profile& profile, const CallTree& tree, const Groups& groups)
      : profile_(profile),
        tree_(tree),
        groups_(groups),
        seen_(SeenAsLines(profile, tree.nodes)),
        rows_(groups.first.size() + 1),
        on_path_(rows_.size()),
        waiting_(rows_.size()) {
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i].group = static_cast<uint32_t>(i);
  }

  uint32_t GroupOf(uint32_t node) const { return groups_.of_node[node]; }

  void Enter(uint32_t node) {
    const uint32_t group = GroupOf(node);
    const TreeNode& values = tree_.nodes[node];
    Row& row = rows_[group];
    row.self = AddSaturated(row.self, values.self);
    row.self_samples = AddSaturated(row.self_samples, values.self_samples);
    // A path can contain several nodes of a group. The total of the outermost one includes the
    // others.
    const bool outermost = on_path_[group]++ == 0 && group != 0;
    if (outermost) {
      row.total = AddSaturated(row.total, values.total);
      row.total_samples = AddSaturated(row.total_samples, values.total_samples);
    }
    // The frame that represents a library does not say to which line the time belongs. In the
    // Python view, only Python lines are used.
    const bool python_only = tree_.folding.code == CodeView::kPython;
    const FrameId line = python_only ? seen_[node].python() : seen_[node].best();
    if (values.self == 0 && !outermost) return;
    const FrameId own = FrameOf(values);
    if (python_only && own && profile_.frame(own).kind == FrameKind::kPython)
      AddHeat(own_heats_, group, own, values, outermost);
    if (line) AddHeat(heats_, group, line, values, outermost);
  }

  void Leave(uint32_t node) { --on_path_[GroupOf(node)]; }

  std::vector<Row> Finish() {
    ChooseLines(heats_, &Row::seen_as);
    ChooseLines(own_heats_, &Row::own_line);
    AddNative();
    Describe();
    // Group 0 has no outermost node: all its time is self time.
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
  using Heats = std::unordered_map<uint64_t, Heat>;  // by group and frame

  static void AddHeat(Heats& heats, uint32_t group, FrameId line, const TreeNode& values,
                      bool outermost) {
    Heat& heat = heats[(uint64_t{group} << 32) | line.value];
    heat.self = AddSaturated(heat.self, values.self);
    if (outermost) heat.total = AddSaturated(heat.total, values.total);
  }

  void ChooseLines(const Heats& heats, FrameId Row::*line) {
    std::vector<Heat> best(rows_.size());
    for (const auto& [key, heat] : heats) {
      const auto group = static_cast<uint32_t>(key >> 32);
      const FrameId frame{static_cast<uint32_t>(key)};
      Heat& top = best[group];
      FrameId& chosen = rows_[group].*line;
      const bool equal = heat.self == top.self && heat.total == top.total;
      const bool hotter = heat.self != top.self ? heat.self > top.self : heat.total > top.total;
      // Among equal candidates, choose the one with the lowest frame number. The order of the hash
      // table must not affect the result.
      if (chosen && !hotter && !(equal && frame < chosen)) continue;
      top = heat;
      chosen = frame;
    }
  }

  // Sums the native time of each row by library, and finds the library with the most.
  void AddNative() {
    std::unordered_map<uint64_t, int64_t> parts;  // (group, library)
    for (const NativePart& part : tree_.native) {
      const uint32_t group = GroupOf(part.node);
      if (!part.library) {
        waiting_[group] = AddSaturated(waiting_[group], part.self);
        continue;
      }
      int64_t& sum = parts[(uint64_t{group} << 32) | part.library.value];
      sum = AddSaturated(sum, part.self);
      rows_[group].native = AddSaturated(rows_[group].native, part.self);
    }
    std::vector<int64_t> most(rows_.size());
    for (const auto& [key, self] : parts) {
      const auto group = static_cast<uint32_t>(key >> 32);
      const ModuleId library{static_cast<uint32_t>(key)};
      ModuleId& chosen = rows_[group].library;
      const bool equal = self == most[group];
      if (chosen && self <= most[group] && !(equal && library < chosen)) continue;
      most[group] = self;
      chosen = library;
    }
  }

  // Sets for each row its family and whether it waits.
  void Describe() {
    const bool functions = groups_.by != By::kModule && groups_.by != By::kSourceLine;
    for (uint32_t group = 1; group < rows_.size(); ++group) {
      const Groups::Stand stand = groups_.StandOf(group);
      if (groups_.by != By::kModule) rows_[group].family = stand.family;
      const FrameId first = groups_.first[group - 1];
      if (!functions || !first || stand.library || stand.family != Family::kNone) continue;
      rows_[group].waits = waiting_[group] > rows_[group].self / 2 ||
                           WaitOf(profile_, profile_.frame(first)) != Wait::kNone;
    }
  }

  const Profile& profile_;
  const CallTree& tree_;
  const Groups& groups_;
  std::vector<SeenAs::Lines> seen_;
  std::vector<Row> rows_;
  std::vector<uint32_t> on_path_;
  std::vector<int64_t> waiting_;  // CodeView::kPython: the part of self that waits, by group
  Heats heats_, own_heats_;       // by the line that causes the time; by the row's own line
};

}  // namespace

std::vector<Row> FlatRows(const Profile& profile, const CallTree& tree, const Groups& groups) {
  RowCollector rows(profile, tree, groups);
  const ChildTable children = ChildrenOf(tree);
  struct Step {
    uint32_t node, next_child;
  };
  // Depth first without recursion, because trees are as deep as the recorded stacks.
  std::vector<Step> path = {{0, children.begin[0]}};
  rows.Enter(0);
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next_child == children.begin[step.node + 1]) {
      rows.Leave(step.node);
      path.pop_back();
      continue;
    }
    const uint32_t child = children.list[step.next_child++];
    rows.Enter(child);
    path.push_back({child, children.begin[child]});
  }
  return rows.Finish();
}

}  // namespace gprofx
