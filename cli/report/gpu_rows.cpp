#include "cli/report/gpu_rows.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "cli/report/names.h"
#include "cli/report/seen_as.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

bool IsOperation(FrameKind kind) {
  return kind == FrameKind::kGpuKernel || kind == FrameKind::kGpuCopy;
}

// Adds to the field of a row that a metric stands for.
using Field = int64_t* (*)(GpuRow& row, size_t stall);

struct Role {
  Field field = nullptr;  // nullptr: a metric of no interest
  size_t stall = 0;
};

std::vector<Role> RolesOfMetrics(const Profile& profile) {
  std::vector<Role> roles(profile.metrics.size());
  const auto set = [&](const std::string& name, Field field, size_t stall = 0) {
    if (const MetricId id = profile.FindMetric(name)) roles[id.index()] = {field, stall};
  };
  set(kMetricGpu, [](GpuRow& row, size_t) { return &row.self_ns; });
  set(kMetricGpuOps, [](GpuRow& row, size_t) { return &row.calls; });
  set(kMetricPcSamples, [](GpuRow& row, size_t) { return &row.samples; });
  set(kMetricPcLatency, [](GpuRow& row, size_t) { return &row.latency; });
  for (size_t i = 0; i < kStallClasses; ++i) {
    set(
        std::string(kMetricStallPrefix) + kStallClassNames[i],
        [](GpuRow& row, size_t stall) { return &row.stalls[stall]; }, i);
  }
  return roles;
}

void Add(GpuRow& row, const Role& role, int64_t amount) {
  int64_t& sum = *role.field(row, role.stall);
  sum = AddSaturated(sum, std::max<int64_t>(amount, 0));
}

// What decides which frame stands for a row: time first, then what is counted.
struct Heat {
  int64_t ns = 0, count = 0;
  bool operator<(const Heat& other) const {
    return ns != other.ns ? ns < other.ns : count < other.count;
  }
};

class Collector {
 public:
  Collector(const Profile& profile, GpuBy by)
      : profile_(profile),
        by_(by),
        operation_(profile.nodes.size()),
        row_(profile.nodes.size()),
        seen_(profile, profile.nodes.size()) {
    rows_.emplace_back();  // [0]: values below no kernel and no copy
    for (size_t i = 0; i < profile.nodes.size(); ++i) Visit(i);
  }

  void AddValue(const Value& value, const Role& role) {
    const size_t node = value.node.index();
    const uint32_t row = row_[node];
    Add(rows_[row], role, value.self);
    const FrameId subject = by_ == GpuBy::kLine ? operation_[node] : seen_.Of(node);
    if (!subject) return;
    Heat& heat = heats_[(uint64_t{row} << 32) | subject.value];
    int64_t GpuRow::*const weight = by_ == GpuBy::kLine ? &GpuRow::samples : &GpuRow::self_ns;
    GpuRow one;
    Add(one, role, value.self);
    heat.ns = AddSaturated(heat.ns, one.*weight);
    heat.count = AddSaturated(heat.count, AddSaturated(one.calls, one.samples));
  }

  std::vector<GpuRow> Finish() {
    std::unordered_map<uint32_t, Heat> best;
    for (const auto& [key, heat] : heats_) {
      const auto row = static_cast<uint32_t>(key >> 32);
      const FrameId frame{static_cast<uint32_t>(key)};
      FrameId& chosen = by_ == GpuBy::kLine ? rows_[row].kernel : rows_[row].seen_as;
      Heat& top = best[row];
      // The order of a hash table must not show: equal ones are decided by the frame's number.
      const bool equal = !(heat < top) && !(top < heat);
      if (chosen && !(top < heat) && !(equal && frame < chosen)) continue;
      top = heat;
      chosen = frame;
    }
    const bool by_samples = by_ == GpuBy::kLine;
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(),
                               [&](const GpuRow& row) {
                                 return row.samples == 0 &&
                                        (by_samples || (row.self_ns == 0 && row.calls == 0));
                               }),
                rows_.end());
    std::stable_sort(rows_.begin(), rows_.end(), [&](const GpuRow& a, const GpuRow& b) {
      if (!by_samples && a.self_ns != b.self_ns) return a.self_ns > b.self_ns;
      if (!by_samples && a.calls != b.calls) return a.calls > b.calls;
      return a.samples > b.samples;
    });
    return std::move(rows_);
  }

 private:
  void Visit(size_t i) {
    const Node& node = profile_.nodes[i];
    const size_t parent = node.parent ? node.parent.index() : i;
    seen_.Visit(i, parent, node.frame);
    operation_[i] = operation_[parent];
    row_[i] = row_[parent];
    if (!node.frame) return;
    const Frame& frame = profile_.frame(node.frame);
    if (IsOperation(frame.kind)) {
      operation_[i] = node.frame;
      row_[i] = RowOf(node.frame, (uint64_t{NameOf(frame)} << 32) | Kind(frame));
    } else if (by_ == GpuBy::kLine && frame.kind == FrameKind::kGpuInstruction && frame.line != 0) {
      const StringId file = frame.file       ? frame.file
                            : frame.function ? profile_.function(frame.function).file
                                             : StringId{};
      // The top bit keeps lines apart from kinds.
      row_[i] = RowOf(node.frame, (uint64_t{file.value} << 32) | frame.line | 0x80000000u);
    }
  }

  static uint64_t Kind(const Frame& frame) { return static_cast<uint64_t>(frame.kind); }

  uint32_t NameOf(const Frame& frame) const {
    return frame.function ? profile_.function(frame.function).name.value : 0;
  }

  uint32_t RowOf(FrameId frame, uint64_t key) {
    const auto next = static_cast<uint32_t>(rows_.size());
    const auto [found, made] = index_.try_emplace(key, next);
    if (made) rows_.emplace_back().frame = frame;
    return found->second;
  }

  const Profile& profile_;
  GpuBy by_;
  std::vector<FrameId> operation_;  // per node: the kernel or copy that it is or lies below
  std::vector<uint32_t> row_;
  SeenAs seen_;
  std::vector<GpuRow> rows_;
  std::unordered_map<uint64_t, uint32_t> index_;
  std::unordered_map<uint64_t, Heat> heats_;  // (row, candidate)
};

}  // namespace

GpuTable GpuRows(const Profile& profile, const TreeRequest& filters, GpuBy by) {
  GpuTable table;
  const std::vector<Role> roles = RolesOfMetrics(profile);
  const std::vector<uint8_t> kept = KeptStacks(profile, filters);
  Collector collector(profile, by);
  for (const Value& value : profile.values) {
    if (!value.node || !value.metric || roles[value.metric.index()].field == nullptr) continue;
    const Role& role = roles[value.metric.index()];
    Add(table.whole, role, value.self);
    if (kept[value.node.index()] != 0) collector.AddValue(value, role);
  }
  table.rows = collector.Finish();
  return table;
}

std::vector<Row> GpuWaitRows(const Analysis& analysis, const Groups& groups) {
  const Profile& profile = analysis.profile;
  TreeRequest request = analysis.request;
  request.metric = profile.FindMetric(kMetricGpuWait);
  if (!request.metric) return {};
  std::vector<Row> rows = FlatRows(profile, BuildCallTree(profile, request), groups);
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Row& row) { return row.self <= 0; }),
             rows.end());
  return rows;
}

bool HasGpuData(const Profile& profile) {
  return profile.FindMetric(kMetricGpu) || !profile.gpu.devices.empty() ||
         !profile.gpu.wall.empty();
}

}  // namespace gprofx
