#include "core/levels/level_sums.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/kernels/work_names.h"
#include "core/levels/communication.h"
#include "core/model/inherit.h"
#include "core/model/python_files.h"
#include "core/steps/step_finders.h"

namespace gprofx {
namespace {

uint32_t NameOf(const Profile& profile, FrameId frame) {
  if (!frame) return 0;
  const FunctionId function = profile.frame(frame).function;
  return function ? profile.function(function).name.value : 0;
}

// Returns amount * weight / all without overflow. `weight` and `all` must be positive.
int64_t PartOf(int64_t amount, int64_t weight, int64_t all) {
  return static_cast<int64_t>(static_cast<__int128>(amount) * weight / all);
}

// Divides an amount of a node (time or a number of operations) among layers, if the node contains
// backward work of several layers.
class Divider {
 public:
  Divider(const Levels& levels, std::span<const LayerShare> shares) : levels_(levels) {
    for (size_t begin = 0; begin < shares.size();) {
      size_t end = begin;
      while (end < shares.size() && shares[end].node == shares[begin].node) ++end;
      of_node_[shares[begin].node.value] = shares.subspan(begin, end - begin);
      begin = end;
    }
  }

  // Calls use(share, part) for each share of the node. The first share gets the rounding remainder.
  template <class Use>
  void Divide(NodeId node, int64_t amount, int64_t LayerShare::*weight, const Use& use) const {
    const auto shared = of_node_.find(node.value);
    if (shared == of_node_.end()) return use({node, levels_.at(node).layer_path}, amount);
    int64_t all = 0, left = amount;
    for (const LayerShare& share : shared->second) all = AddSaturated(all, share.*weight);
    for (const LayerShare& share : shared->second.subspan(1)) {
      const int64_t part = all > 0 ? PartOf(amount, share.*weight, all) : 0;
      use(share, part);
      left -= part;
    }
    use(shared->second.front(), left);
  }

 private:
  const Levels& levels_;
  std::unordered_map<uint32_t, std::span<const LayerShare>> of_node_;  // by NodeId::value
};

// Returns the metric of GPU time: the estimated one if records cover only part of the time.
MetricId GpuTimeMetric(const Profile& profile) {
  const MetricId estimated = profile.FindMetric(kMetricGpuEstimated);
  return estimated ? estimated : profile.FindMetric(kMetricGpu);
}

class Summer {
 public:
  Summer(const Profile& profile, const Levels& levels, Level level,
         std::span<const LayerShare> shares)
      : profile_(profile),
        levels_(levels),
        level_(level),
        divider_(levels, level == Level::kLayer ? shares : std::span<const LayerShare>()) {}

  void AddTime(NodeId node, int64_t ns) {
    divider_.Divide(node, ns, &LayerShare::weight, [&](const LayerShare& share, int64_t part) {
      AddTo(share.layer_path, node, part);
    });
  }

  void AddCalls(NodeId node, int64_t calls) {
    const bool by_layer = level_ == Level::kLayer;
    divider_.Divide(node, calls, &LayerShare::calls, [&](const LayerShare& share, int64_t part) {
      LevelSum& row = RowOf(by_layer ? levels_.LayerOf(share.layer_path)
                                     : KeyAt(profile_, levels_, level_, node));
      row.operations = AddSaturated(row.operations, part);
      if (IsKernel(node)) row.kernels = AddSaturated(row.kernels, part);
    });
  }

  std::vector<LevelSum> Finish() && {
    for (LevelSum& row : rows_) {
      if (level_ != Level::kLayer || row.key == 0) row.total_ns = row.gpu_ns;
    }
    std::erase_if(rows_, [](const LevelSum& row) {
      return row.gpu_ns == 0 && row.total_ns == 0 && row.operations == 0;
    });
    std::sort(rows_.begin(), rows_.end(), [](const LevelSum& a, const LevelSum& b) {
      if ((a.key == 0) != (b.key == 0)) return b.key == 0;
      if (a.gpu_ns != b.gpu_ns) return a.gpu_ns > b.gpu_ns;
      if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
      return a.key < b.key;
    });
    return std::move(rows_);
  }

 private:
  bool IsKernel(NodeId node) const {
    const FrameId operation = levels_.at(node).operation;
    return operation && profile_.frame(operation).kind == FrameKind::kGpuKernel;
  }

  LevelSum& RowOf(uint32_t key) {
    const auto [found, is_new] = index_.try_emplace(key, rows_.size());
    if (is_new) rows_.emplace_back().key = key;
    return rows_[found->second];
  }

  void AddTo(uint32_t path, NodeId node, int64_t ns) {
    const bool by_layer = level_ == Level::kLayer;
    LevelSum& row =
        RowOf(by_layer ? levels_.LayerOf(path) : KeyAt(profile_, levels_, level_, node));
    row.gpu_ns = AddSaturated(row.gpu_ns, ns);
    if (IsKernel(node)) row.kernel_ns = AddSaturated(row.kernel_ns, ns);
    if (levels_.at(node).is_backward) row.backward_ns = AddSaturated(row.backward_ns, ns);
    int64_t& most = most_[row.key];
    if (!row.heaviest || ns > most) {
      row.heaviest = node;
      most = ns;
    }
    if (!by_layer) return;
    // A layer that contains itself counts once.
    std::vector<uint32_t> seen;
    for (uint32_t at = path; at != 0; at = levels_.paths[at - 1].parent) {
      const uint32_t layer = levels_.LayerOf(at);
      if (std::find(seen.begin(), seen.end(), layer) != seen.end()) continue;
      seen.push_back(layer);
      LevelSum& outer = RowOf(layer);
      outer.total_ns = AddSaturated(outer.total_ns, ns);
    }
  }

  const Profile& profile_;
  const Levels& levels_;
  const Level level_;
  const Divider divider_;
  std::unordered_map<uint32_t, size_t> index_;
  std::unordered_map<uint32_t, int64_t> most_;  // by key: GPU time of LevelSum::heaviest
  std::vector<LevelSum> rows_;
};

}  // namespace

int64_t GpuTime(const Profile& profile) {
  const MetricId time = GpuTimeMetric(profile);
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (time && value.metric == time) sum = AddSaturated(sum, value.self);
  }
  return sum;
}

uint32_t KeyAt(const Profile& profile, const Levels& levels, Level level, NodeId node) {
  const NodeLevel& at = levels.at(node);
  switch (level) {
    case Level::kLayer:
      return levels.LayerOf(at.layer_path);
    case Level::kOperator:
      return at.op;
    case Level::kLibrary:
      return at.library.value;
    case Level::kCall:
      return NameOf(profile, at.call);
    case Level::kKernel:
      return NameOf(profile, at.operation);
  }
  return 0;
}

std::string KeyName(const Profile& profile, const Levels& levels, Level level, uint32_t key) {
  if (key == 0) return "";
  switch (level) {
    case Level::kLayer:
      return levels.layer(key).Name();
    case Level::kOperator:
      return levels.op(key);
    case Level::kLibrary:
      return std::string(profile.Text(profile.module(ModuleId{key}).path));
    case Level::kCall:
    case Level::kKernel:
      return std::string(profile.Text(StringId{key}));
  }
  return "";
}

std::vector<LevelSum> SumByLevel(const Profile& profile, const Levels& levels, Level level,
                                 std::span<const LayerShare> shares,
                                 std::span<const uint8_t> kept) {
  const MetricId time = GpuTimeMetric(profile);
  const bool estimated = time && time == profile.FindMetric(kMetricGpuEstimated);
  const MetricId calls = profile.FindMetric(estimated ? kMetricGpuOpsEstimated : kMetricGpuOps);
  Summer summer(profile, levels, level, shares);
  for (const Value& value : profile.values) {
    if (!value.node || !value.metric) continue;
    if (!kept.empty() && kept[value.node.index()] == 0) continue;
    if (value.metric == time) summer.AddTime(value.node, value.self);
    if (value.metric == calls) summer.AddCalls(value.node, value.self);
  }
  return std::move(summer).Finish();
}

std::vector<LevelSum> SumTimes(const Profile& profile, const Levels& levels, Level level,
                               std::span<const LayerShare> shares,
                               std::span<const NodeTime> times) {
  Summer summer(profile, levels, level, shares);
  for (const NodeTime& time : times) summer.AddTime(time.node, time.ns);
  return std::move(summer).Finish();
}

namespace {

struct PythonStack {
  FrameId line;           // the innermost line of the program's own code
  bool is_whole = false;  // true if the stack includes the outermost Python frame
};

bool IsInstalled(std::string_view file) {
  return file.find("/site-packages/") != file.npos || file.find("/dist-packages/") != file.npos ||
         file.starts_with('<');
}

std::vector<PythonStack> PythonStacks(const Profile& profile) {
  return InheritDown<PythonStack>(profile.nodes, [&](PythonStack above, FrameId id) {
    if (!id || profile.frame(id).kind != FrameKind::kPython) return above;
    const Frame& frame = profile.frame(id);
    if (!frame.function) return above;
    const Function& function = profile.function(frame.function);
    const std::string_view name = profile.Text(function.name);
    const StringId file = FileOf(profile, frame);
    above.is_whole = above.is_whole || name == "<module>" || name.ends_with("_bootstrap");
    if (file && !IsInstalled(profile.Text(file))) above.line = id;
    return above;
  });
}

}  // namespace

OutsideLayers SumOutside(const Profile& profile, const Levels& levels,
                         std::span<const LayerShare> shares) {
  OutsideLayers out;
  const std::vector<NodeId> optimizer = OptimizerCalls(profile);
  const std::vector<bool> before = InheritDown<bool>(profile.nodes, [&](bool above, FrameId id) {
    if (above || !id || profile.frame(id).kind != FrameKind::kMarker) return above;
    return profile.Text(StringId{NameOf(profile, id)}) == kLaunchedBefore;
  });
  Communication communication(profile, levels);
  const std::vector<PythonStack> stacks = PythonStacks(profile);
  std::map<FrameId, int64_t> lines;
  const Divider divider(levels, shares);
  const MetricId time = GpuTimeMetric(profile);
  for (const Value& value : profile.values) {
    if (!value.node || !value.metric || value.metric != time) continue;
    const NodeId node = value.node;
    divider.Divide(node, value.self, &LayerShare::weight, [&](const LayerShare& share, int64_t ns) {
      if (share.layer_path != 0) return;
      const PythonStack& stack = stacks[(share.forward ? share.forward : node).index()];
      const bool program =
          stack.is_whole && stack.line && (share.forward || !levels.at(node).is_backward);
      int64_t& sum = before[node.index()]      ? out.before_ns
                     : optimizer[node.index()] ? out.optimizer_ns
                     : communication.Is(node)  ? out.communication_ns
                     : program                 ? out.program_ns
                                               : out.other_ns;
      sum = AddSaturated(sum, ns);
      if (&sum == &out.program_ns) lines[stack.line] = AddSaturated(lines[stack.line], ns);
    });
  }
  int64_t most = 0;
  for (const auto& [line, ns] : lines) {
    if (ns <= most) continue;
    most = ns;
    out.program_line = line;
  }
  return out;
}

}  // namespace gprofx
