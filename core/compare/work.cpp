#include "core/compare/work.h"

#include <cmath>
#include <unordered_map>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/compare/key.h"
#include "core/model/inherit.h"
#include "core/views/call_tree.h"
#include "core/views/gpu/gpu_rows.h"
#include "core/views/group.h"
#include "core/views/naming/names.h"
#include "core/views/rows.h"
#include "core/views/view.h"
#include "core/views/wall.h"

namespace gprofx::compare {
namespace {

// Minimum share of a function's time under its main caller. If no caller has as much, there is no
// main caller.
constexpr double kMainCaller = 0.8;
// Lines, and functions without self time, are dropped if they have less than this share of the
// total.
constexpr double kMinShare = 0.001;

// Returns the main caller of each function (a group): the caller under which it spends at least
// kMainCaller of its time; 0 if there is none.
std::vector<uint32_t> MainCallers(const CallTree& tree, const Groups& groups) {
  std::unordered_map<uint64_t, double> calls;  // by callee and caller
  const size_t count = groups.first.size() + 1;
  std::vector<double> all(count), most(count);
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    const uint32_t callee = groups.of_node[i], caller = groups.of_node[tree.nodes[i].parent];
    if (callee == 0 || callee == caller) continue;
    const auto total = static_cast<double>(tree.nodes[i].total);
    all[callee] += total;
    if (caller != 0) calls[uint64_t{callee} << 32 | caller] += total;
  }
  std::vector<uint32_t> main(count);
  for (const auto& [pair, total] : calls) {
    const auto callee = static_cast<size_t>(pair >> 32);
    if (total <= most[callee] || total < kMainCaller * all[callee]) continue;
    most[callee] = total;
    main[callee] = static_cast<uint32_t>(pair);
  }
  return main;
}

// Returns a flag for each group: true if the function was called at least once, false if it was
// only inlined.
std::vector<uint8_t> Called(const Profile& profile, const CallTree& tree, const Groups& groups) {
  std::vector<uint8_t> called(groups.first.size() + 1);
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    const bool inlined = profile.frame(FrameOf(tree.nodes[i])).kind == FrameKind::kInlined;
    called[groups.of_node[i]] |= inlined ? 0 : 1;
  }
  return called;
}

Parts FunctionsOf(const Profile& profile, const CallTree& tree) {
  const Groups groups = GroupNodes(profile, tree, By::kFunction);
  const std::vector<uint32_t> callers = MainCallers(tree, groups);
  const std::vector<uint8_t> called = Called(profile, tree, groups);
  const double least = kMinShare * static_cast<double>(tree.nodes[0].total);
  Parts parts;
  std::vector<const std::string*> key_of(groups.first.size() + 1);
  std::vector<std::pair<Part*, uint32_t>> made;
  for (const Row& row : FlatRows(profile, tree, groups)) {
    if (row.group == 0 || row.total <= 0) continue;
    if (row.self <= 0 && static_cast<double>(row.total) < least) continue;
    Label label = LabelOf(profile, groups, row.group);
    const auto [found, is_new] = parts.try_emplace(KeyOf(label));
    key_of[row.group] = &found->first;
    Part& part = found->second;
    if (is_new) {
      part = PartOf(std::move(label));
      part.only_inlined = called[row.group] == 0;
      part.waits = row.waits;
      if (row.seen_as) {
        part.seen_file = FrameFile(profile, profile.frame(row.seen_as));
        part.seen_line = profile.frame(row.seen_as).line;
      }
      made.push_back({&part, row.group});
    }
    part.ns += static_cast<double>(row.self);
    part.samples += static_cast<double>(row.self_samples);
    part.total_ns += static_cast<double>(row.total);
    part.total_samples += static_cast<double>(row.total_samples);
  }
  for (const auto& [part, group] : made) {
    const std::string* caller = key_of[callers[group]];
    if (caller != nullptr) part->parent = *caller;
  }
  return parts;
}

Label FunctionLabel(const Profile& profile, const Frame& frame) {
  Label label;
  label.kind = frame.kind;
  label.name = FrameName(profile, frame);
  if (frame.module) label.module = profile.Text(profile.module(frame.module).path);
  if (frame.function) {
    const Function& function = profile.function(frame.function);
    label.file = profile.Text(function.file);
    label.line = function.first_line;
  }
  return label;
}

Parts LinesOf(const Profile& profile, const CallTree& tree) {
  const Groups groups = GroupNodes(profile, tree, By::kSourceLine);
  std::vector<int64_t> self(groups.first.size() + 1), samples(self.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const uint32_t group = groups.of_node[i];
    self[group] = AddSaturated(self[group], tree.nodes[i].self);
    samples[group] = AddSaturated(samples[group], tree.nodes[i].self_samples);
  }
  const double least = kMinShare * static_cast<double>(tree.nodes[0].total);
  Parts parts;
  for (uint32_t group = 1; group < self.size(); ++group) {
    if (self[group] <= 0 || static_cast<double>(self[group]) < least) continue;
    const Frame& frame = profile.frame(groups.first[group - 1]);
    const Label function = FunctionLabel(profile, frame);
    const std::string key = KeyOf(function);
    const int64_t offset = int64_t{frame.line} - int64_t{function.line};
    Part& part = parts[key + "\n" + std::to_string(offset)];
    part.kind = frame.kind;
    part.name = function.name;
    part.file = FrameFile(profile, frame);
    part.line = frame.line;
    part.module = function.module;
    part.of = key;
    part.ns += static_cast<double>(self[group]);
    part.samples += static_cast<double>(samples[group]);
  }
  return parts;
}

// Returns the operator of a frame: "aten::add_Tensor" for "at::_ops::add_Tensor::call(at::Tensor
// const&, ...)". "" if it is not an operator.
std::string OperatorName(const Profile& profile, const Frame& frame) {
  if (frame.kind == FrameKind::kOperator) return FrameName(profile, frame);
  constexpr std::string_view kStart = "at::_ops::";
  if (!frame.function) return "";
  std::string_view name = profile.Text(profile.function(frame.function).name);
  if (!name.starts_with(kStart)) return "";
  name.remove_prefix(kStart.size());
  const size_t end = name.find("::");
  const std::string_view what = end == std::string_view::npos ? "" : name.substr(end);
  if (!what.starts_with("::call") && !what.starts_with("::redispatch")) return "";
  return "aten::" + std::string(name.substr(0, end));
}

Parts OperatorsOf(const Profile& profile, const CallTree& tree) {
  std::vector<std::string> names = {""};
  std::unordered_map<std::string, uint32_t> known;
  std::vector<uint32_t> of_frame(profile.frames.size() + 1);
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    const std::string name = OperatorName(profile, profile.frames[i]);
    if (name.empty()) continue;
    const auto [found, made] = known.try_emplace(name, static_cast<uint32_t>(names.size()));
    if (made) names.push_back(name);
    of_frame[i + 1] = found->second;
  }
  if (known.empty()) return {};
  const std::vector<uint32_t> of_node =
      InheritDown<uint32_t>(tree.nodes, [&](uint32_t above, FrameId frame) {
        return of_frame[frame.value] != 0 ? of_frame[frame.value] : above;
      });
  Parts parts;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (of_node[i] == 0 || tree.nodes[i].self <= 0) continue;
    Part& part = parts[names[of_node[i]]];
    part.kind = FrameKind::kOperator;
    part.name = names[of_node[i]];
    part.ns += static_cast<double>(tree.nodes[i].self);
    part.samples += static_cast<double>(tree.nodes[i].self_samples);
  }
  return parts;
}

double RelativeError(const GpuTable& table, const GpuRow& row) {
  if (!table.estimated || row.self_ns <= 0) return 0;
  return std::sqrt(row.variance) / static_cast<double>(row.self_ns);
}

void AddKernels(const Profile& profile, WorkDone& work) {
  if (!profile.FindMetric(kMetricGpu)) return;
  const GpuTable table = GpuRows(profile, Kept(profile.nodes.size(), 1), GpuBy::kKernel);
  work.gpu_ns = static_cast<double>(table.whole.self_ns);
  work.gpu_error = RelativeError(table, table.whole);
  for (const GpuRow& row : table.rows) {
    if (!row.frame || row.self_ns <= 0) continue;
    const std::string name = OperationName(profile, row.frame);
    Part& part = work.kernels[name];  // modules may have kernels of the same name
    const double error = part.relative_error * part.ns, more = static_cast<double>(row.self_ns);
    part.relative_error = std::hypot(error, RelativeError(table, row) * more) / (part.ns + more);
    part.ns += more;
    if (!part.name.empty()) continue;
    part.kind = profile.frame(row.frame).kind;
    part.name = name;
    if (row.seen_as) {
      const Frame& line = profile.frame(row.seen_as);
      part.seen_file = part.file = FrameFile(profile, line);
      part.seen_line = part.line = line.line;
    }
  }
}

}  // namespace

WorkDone WorkOf(const Profile& profile, CodeView code) {
  WorkDone work;
  const Result<MetricId> metric = ChooseMetric(profile, "");
  if (metric && *metric) {
    work.total_ns = static_cast<double>(MetricSum(profile, *metric));
    const CallTree tree =
        BuildCallTree(profile, *metric, Kept(profile.nodes.size(), 1), false, nullptr, code);
    work.functions = FunctionsOf(profile, tree);
    work.lines = LinesOf(profile, tree);
    work.operators = OperatorsOf(profile, tree);
  }
  AddKernels(profile, work);
  const WallShares wall = ShareWall(profile);
  work.wall_ns = static_cast<double>(wall.total_ns) + static_cast<double>(wall.unseen_ns);
  if (wall.total_ns > 0) {
    work.gpu_idle_ns =
        static_cast<double>(wall.idle.ns) / static_cast<double>(wall.total_ns) * work.wall_ns;
  }
  return work;
}

}  // namespace gprofx::compare
