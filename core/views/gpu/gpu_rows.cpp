#include "core/views/gpu/gpu_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/kernels/kernel_names.h"
#include "core/model/inherit.h"
#include "core/views/naming/names.h"
#include "core/views/naming/seen_as.h"

namespace gprofx {
namespace {

bool IsOperation(FrameKind kind) {
  return kind == FrameKind::kGpuKernel || kind == FrameKind::kGpuCopy;
}

// A function that returns the field of a row to which a metric adds.
using Field = int64_t* (*)(GpuRow& row, size_t stall);

struct Role {
  Field field = nullptr;  // nullptr: ignore the metric
  size_t stall = 0;
  bool squared = false;  // the square is added to the variance
};

std::vector<Role> RolesOfMetrics(const Profile& profile) {
  std::vector<Role> roles(profile.metrics.size());
  const auto set = [&](const std::string& name, Field field, size_t stall = 0) {
    if (const MetricId id = profile.FindMetric(name)) roles[id.index()] = {field, stall};
  };
  const bool estimated = static_cast<bool>(profile.FindMetric(kMetricGpuEstimated));
  set(estimated ? kMetricGpuEstimated : kMetricGpu,
      [](GpuRow& row, size_t) { return &row.self_ns; });
  set(estimated ? kMetricGpuOpsEstimated : kMetricGpuOps,
      [](GpuRow& row, size_t) { return &row.calls; });
  if (estimated) {
    set(kMetricGpu, [](GpuRow& row, size_t) { return &row.traced_ns; });
    set(kMetricGpuOps, [](GpuRow& row, size_t) { return &row.traced; });
    set(kMetricGpuError, [](GpuRow& row, size_t) { return &row.self_ns; });
    if (const MetricId id = profile.FindMetric(kMetricGpuError)) roles[id.index()].squared = true;
  }
  set(kMetricPcSamples, [](GpuRow& row, size_t) { return &row.samples; });
  set(kMetricPcLatency, [](GpuRow& row, size_t) { return &row.latency; });
  set(kMetricGpuBytes, [](GpuRow& row, size_t) { return &row.bytes; });
  set(kMetricGpuOverlapped, [](GpuRow& row, size_t) { return &row.overlapped_ns; });
  for (size_t i = 0; i < kStallClasses; ++i) {
    set(
        std::string(kMetricStallPrefix) + kStallClassNames[i],
        [](GpuRow& row, size_t stall) { return &row.stalls[stall]; }, i);
  }
  return roles;
}

void Add(GpuRow& row, const Role& role, int64_t amount) {
  if (role.squared) {
    row.variance += static_cast<double>(amount) * static_cast<double>(amount);
    return;
  }
  int64_t& sum = *role.field(row, role.stall);
  sum = AddSaturated(sum, std::max<int64_t>(amount, 0));
}

// Sums of a row for one frame. The frame with most time represents the row; among equals, the one
// with the largest count does.
struct Heat {
  int64_t ns = 0, count = 0;
  bool operator<(const Heat& other) const {
    return ns != other.ns ? ns < other.ns : count < other.count;
  }
};

class Collector {
 public:
  Collector(const Profile& profile, GpuBy by)
      : profile_(profile), by_(by), rows_(1), seen_(SeenAsLines(profile, profile.nodes)) {
    places_ = InheritDown<Place>(profile.nodes,
                                 [&](Place above, FrameId frame) { return PlaceOf(above, frame); });
  }

  void AddValue(const Value& value, const Role& role) {
    const size_t node = value.node.index();
    const uint32_t row = places_[node].row;
    Add(rows_[row], role, value.self);
    if (role.squared) return;
    const FrameId subject = by_ == GpuBy::kLine ? places_[node].operation : seen_[node].best();
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
      // Among equal candidates, choose the one with the lowest frame number. The order of the hash
      // table must not affect the result.
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
  struct Place {
    FrameId operation;  // the kernel or copy at the node or above it
    uint32_t row = 0;
  };

  Place PlaceOf(Place above, FrameId id) {
    if (!id) return above;
    const Frame& frame = profile_.frame(id);
    if (IsOperation(frame.kind)) {
      return {id, RowOf(id, (uint64_t{NameOf(frame)} << 32) | Kind(frame))};
    }
    if (by_ == GpuBy::kLine && frame.kind == FrameKind::kGpuInstruction && frame.line != 0) {
      // The top bit distinguishes lines from kinds of frames in the key.
      const uint64_t file = FileOf(profile_, frame).value;
      return {above.operation, RowOf(id, (file << 32) | frame.line | 0x80000000u)};
    }
    return above;
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
  std::vector<GpuRow> rows_;  // [0]: values outside of kernels and copies
  std::unordered_map<uint64_t, uint32_t> index_;
  std::vector<SeenAs::Lines> seen_;
  std::vector<Place> places_;
  std::unordered_map<uint64_t, Heat> heats_;  // by row and candidate frame
};

}  // namespace

GpuTable GpuRows(const Profile& profile, const Kept& kept, GpuBy by) {
  GpuTable table;
  table.estimated = static_cast<bool>(profile.FindMetric(kMetricGpuEstimated));
  const std::vector<Role> roles = RolesOfMetrics(profile);
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

int64_t RecordedNs(const GpuTable& table, const GpuRow& row) {
  return table.estimated ? row.traced_ns : row.self_ns;
}

int64_t BytesPerSecond(const GpuTable& table, const GpuRow& row) {
  const int64_t ns = RecordedNs(table, row);
  if (ns <= 0) return 0;
  const double rate = static_cast<double>(row.bytes) * 1e9 / static_cast<double>(ns);
  return rate < 9e18 ? std::llround(rate) : 0;
}

std::vector<size_t> CopyRows(const GpuTable& table, size_t most) {
  std::vector<size_t> copies;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].bytes > 0) copies.push_back(i);
  }
  std::stable_sort(copies.begin(), copies.end(),
                   [&](size_t a, size_t b) { return table.rows[a].bytes > table.rows[b].bytes; });
  if (copies.size() > most) copies.resize(most);
  return copies;
}

std::string OperationName(const Profile& profile, FrameId frame) {
  return frame ? FrameName(profile, profile.frame(frame)) : "[no kernel]";
}

int64_t StandardErrorNs(const GpuRow& row) { return std::llround(std::sqrt(row.variance)); }

size_t MainStall(const GpuRow& row) {
  const auto most = std::max_element(row.stalls.begin(), row.stalls.end());
  return static_cast<size_t>(most - row.stalls.begin());
}

int StallPercent(const GpuRow& row, size_t stall) {
  if (row.samples <= 0) return 0;
  const double share =
      100 * static_cast<double>(row.stalls[stall]) / static_cast<double>(row.samples);
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 100.0)));
}

KernelLaunches LaunchesOf(const Profile& profile, FrameId frame) {
  KernelLaunches launches;
  if (!frame || !profile.frame(frame).function) return launches;
  const StringId name = profile.function(profile.frame(frame).function).name;
  for (const GpuKernelConfig& config : profile.gpu.configs) {
    if (!config.function || profile.function(config.function).name != name) continue;
    if (launches.first == nullptr) launches.first = &config;
    ++launches.configurations;
  }
  return launches;
}

std::vector<SampledKernel> SampledKernels(const Profile& profile, const GpuTable& kernels,
                                          size_t most) {
  std::unordered_map<std::string, size_t> called;  // base name -> number of sampled kernels
  for (const GpuRow& row : kernels.rows) {
    if (row.samples <= 0) continue;
    const std::string full = OperationName(profile, row.frame);
    ++called[std::string(KernelBaseName(full))];
  }
  std::vector<SampledKernel> names;
  size_t tried = 0;
  for (size_t i = 0; i < kernels.rows.size(); ++i) {
    const GpuRow& row = kernels.rows[i];
    if (row.samples <= 0 || !row.frame) continue;
    if (++tried > most) break;
    const std::string full = OperationName(profile, row.frame), base(KernelBaseName(full));
    const std::string& name = called[base] == 1 ? base : full;
    if (!name.empty() && name.front() != '[' && name.front() != '-') names.push_back({i, name});
  }
  return names;
}

}  // namespace gprofx
