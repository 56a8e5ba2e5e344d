// Makes A8 and A10: tables of kernels.
#include <algorithm>
#include <cstdio>

#include "core/analyses/parts.h"
#include "core/analyses/work.h"
#include "core/base/arithmetic.h"
#include "core/base/quantile.h"
#include "core/kernels/kernel_family.h"

namespace gprofx::analyses {
namespace {

std::string Size(const uint32_t (&xyz)[3]) {
  return std::to_string(xyz[0]) + "x" + std::to_string(xyz[1]) + "x" + std::to_string(xyz[2]);
}

struct Lengths {   // lengths of consecutive operations that begin in the shown range
  int64_t ns = 0;  // also includes operations that began before the range
  std::vector<int64_t> each;

  void Add(const AnalysisContext& context, const PhaseOperation& operation) {
    const int64_t length = context.LengthOf(operation);
    ns = AddSaturated(ns, length);
    if (context.BeginsInside(operation)) each.push_back(length);
  }
  int64_t Count() const { return static_cast<int64_t>(each.size()); }
  AnalysisCell Mean() const { return each.empty() ? AnalysisCell() : AnalysisCell(ns / Count()); }
  AnalysisCell QuantileOf(double share) const {
    return each.empty() ? AnalysisCell() : AnalysisCell(Quantile(each, share));
  }
};

// Returns, for each kernel, the percentages of its samples by stall class: "memory 41, compute 30".
std::unordered_map<uint32_t, std::string> StallsByKernel(const AnalysisContext& context) {
  const Profile& profile = context.profile;
  std::vector<int> class_of(profile.metrics.size(), -1);
  for (size_t i = 0; i < kStallClasses; ++i) {
    const MetricId metric =
        profile.FindMetric(std::string(kMetricStallPrefix) + kStallClassNames[i]);
    if (metric) class_of[metric.index()] = static_cast<int>(i);
  }
  KernelNames names(context);
  std::unordered_map<uint32_t, std::vector<int64_t>> sums;
  for (const Value& value : profile.values) {
    if (!value.metric || class_of[value.metric.index()] < 0) continue;
    std::vector<int64_t>& row = sums[names.At(value.node)];
    row.resize(kStallClasses);
    int64_t& sum = row[static_cast<size_t>(class_of[value.metric.index()])];
    sum = AddSaturated(sum, std::max<int64_t>(value.self, 0));
  }
  std::unordered_map<uint32_t, std::string> out;
  for (const auto& entry : sums) {
    const std::vector<int64_t>& row = entry.second;
    int64_t all = 0;
    for (const int64_t samples : row) all = AddSaturated(all, samples);
    std::vector<size_t> order = {0, 1, 2, 3, 4, 5, 6};
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return row[a] > row[b]; });
    std::string& text = out[entry.first];
    for (size_t i = 0; i < 2 && all > 0; ++i) {
      const auto percent =
          static_cast<int64_t>(100 * static_cast<double>(row[order[i]]) / static_cast<double>(all));
      if (percent == 0) break;
      text += (text.empty() ? "" : ", ") + std::string(kStallClassNames[order[i]]) + " " +
              std::to_string(percent);
    }
  }
  return out;
}

const GpuDevice* DeviceOf(const AnalysisContext& context, const PhaseOperation& operation) {
  const GpuTables& gpu = context.profile.gpu;
  if (!operation.stream) return nullptr;
  const GpuContextId at = gpu.streams[operation.stream.index()].context;
  if (!at || !gpu.contexts[at.index()].device) return nullptr;
  const size_t device = gpu.contexts[at.index()].device.index();
  return device < gpu.devices.size() ? &gpu.devices[device] : nullptr;
}

bool NeedsEvents(const AnalysisContext& context, Analysis& out) {
  if (!NeedsGpu(context, out)) return false;
  if (context.events.configs.empty()) out.reason = "the timeline of this profile has no kernels";
  return out.reason.empty();
}

void NoteRecords(const AnalysisContext& context, Analysis& out) {
  if (!context.is_estimated) return;
  out.notes.push_back("of the records, which were made for only part of the launches");
}

std::string ToldBy(const WorkOfKernel& work) {
  if (work.from != WorkFrom::kMeasured) {
    std::string from = work.from == WorkFrom::kShapes ? "shapes" : "name and launch";
    return work.bytes ? from : from + "; bytes unknown: " + std::string(work.why);
  }
  std::string from = work.is_uneven ? "measured, launches differ" : "measured";
  const auto rest = [&](const char* what, bool is_measured, bool is_known) {
    if (is_measured) return;
    from += std::string("; ") + what + (is_known ? " by name and launch" : " were not measured");
  };
  rest("FLOP", work.flop_measured, work.flop.has_value());
  rest("bytes", work.bytes_measured, work.bytes.has_value());
  return from;
}

// Appends six cells: FLOP, bytes, FLOP per byte, FLOP/s, bytes/s, and a text. The text says where
// the numbers come from or what is missing.
void AddWork(const WorkOfKernel& work, int64_t ns, std::vector<AnalysisCell>& cells) {
  if (work.from == WorkFrom::kUnknown) {
    cells.insert(cells.end(), 5, AnalysisCell());
    cells.push_back("unknown: " + std::string(work.why));
    return;
  }
  const double seconds = static_cast<double>(std::max<int64_t>(ns, 1)) / 1e9;
  AnalysisCell flop, bytes, intensity, flop_rate, byte_rate;
  if (work.flop) {
    flop = *work.flop;
    flop_rate = static_cast<double>(*work.flop) / seconds;
  }
  if (work.bytes) {
    bytes = *work.bytes;
    byte_rate = static_cast<double>(*work.bytes) / seconds;
  }
  if (work.flop && work.bytes && *work.bytes > 0) {
    intensity = static_cast<double>(*work.flop) / static_cast<double>(*work.bytes);
  }
  cells.insert(cells.end(), {flop, bytes, intensity, flop_rate, byte_rate, ToldBy(work)});
}

}  // namespace

void KernelInformation(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"kernel", "kernel", CellUnit::kKernel},
                 {"family", "family", CellUnit::kText, false},
                 {"grid", "grid", CellUnit::kText},
                 {"block", "block", CellUnit::kText},
                 {"registers", "regs", CellUnit::kCount},
                 {"shared_bytes", "shared", CellUnit::kBytes},
                 {"count", "count", CellUnit::kCount},
                 {"gpu_ns", "GPU", CellUnit::kNs},
                 {"mean_ns", "mean", CellUnit::kNs, false},
                 {"occupancy", "occup", CellUnit::kShare},
                 {"stalls", "stalls (%)", CellUnit::kText, false},
                 {"flop", "FLOP", CellUnit::kFlop, false},
                 {"bytes", "bytes", CellUnit::kBytes, false},
                 {"intensity", "FLOP/B", CellUnit::kNumber, false},
                 {"flop_per_s", "FLOP/s", CellUnit::kFlopPerSecond, false},
                 {"bytes_per_s", "B/s", CellUnit::kBytesPerSecond, false},
                 {"work_from", "known from", CellUnit::kText, false}};
  if (!NeedsEvents(context, out)) return;
  struct Row {
    Lengths lengths;
    const GpuDevice* device = nullptr;
    uint32_t name = 0;
  };
  ByKernel<Row> rows;
  KernelNames names(context);
  for (size_t i = 0; i < context.events.configs.size(); ++i) {
    const PhaseOperation& operation = context.events.operations[i];
    if (context.LengthOf(operation) == 0 && !context.BeginsInside(operation)) continue;
    const uint32_t name = names.At(operation.node);
    Row& row = rows[{name, context.events.configs[i].value}];
    row.name = name;
    row.device = DeviceOf(context, operation);
    row.lengths.Add(context, operation);
  }
  std::vector<std::pair<uint32_t, Row*>> order;
  for (auto& [key, row] : rows) order.push_back({key.second, &row});
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const Row &first = *a.second, &second = *b.second;
    if (first.lengths.ns != second.lengths.ns) return first.lengths.ns > second.lengths.ns;
    return std::pair(first.name, a.first) < std::pair(second.name, b.first);
  });
  const auto stalls = StallsByKernel(context);
  const ByKernel<WorkOfKernel> work = WorkByKernel(context);
  for (const auto& [config_id, row] : order) {
    const std::string name(context.profile.Text(StringId{row->name}));
    const auto stall = stalls.find(row->name);
    std::vector<AnalysisCell> cells = {name, std::string(FamilyWord(WhatKernelDoes(name).family))};
    if (config_id != 0 && config_id <= context.profile.gpu.configs.size()) {
      const GpuKernelConfig& config = context.profile.gpu.configs[config_id - 1];
      AnalysisCell occupancy;
      if (row->device != nullptr) occupancy = TheoreticalOccupancy(*row->device, config);
      cells.insert(cells.end(),
                   {Size(config.grid), Size(config.block), int64_t{config.registers},
                    int64_t{config.static_shared} + int64_t{config.dynamic_shared},
                    row->lengths.Count(), row->lengths.ns, row->lengths.Mean(), occupancy});
    } else {
      cells.insert(
          cells.end(),
          {{}, {}, {}, {}, row->lengths.Count(), row->lengths.ns, row->lengths.Mean(), {}});
    }
    cells.push_back(stall == stalls.end() ? AnalysisCell() : AnalysisCell(stall->second));
    const auto told = work.find({row->name, config_id});
    AddWork(told == work.end() ? WorkOfKernel{} : told->second, row->lengths.ns, cells);
    out.rows.push_back(std::move(cells));
  }
  out.notes.push_back("all steps together; occupancy: theoretical, of the launch configuration");
  out.notes.push_back(WorkNote(context, FindWork(context)));
  NoteRecords(context, out);
}

void KernelsByName(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"kernel", "kernel", CellUnit::kKernel}, {"count", "count", CellUnit::kCount},
                 {"gpu_ns", "GPU", CellUnit::kNs},        {"mean_ns", "mean", CellUnit::kNs},
                 {"median_ns", "median", CellUnit::kNs},  {"p95_ns", "p95", CellUnit::kNs},
                 {"share", "%kernels", CellUnit::kShare}};
  if (!NeedsEvents(context, out)) return;
  std::unordered_map<uint32_t, Lengths> rows;
  KernelNames names(context);
  int64_t all = 0;
  for (size_t i = 0; i < context.events.configs.size(); ++i) {
    const PhaseOperation& operation = context.events.operations[i];
    if (context.LengthOf(operation) == 0 && !context.BeginsInside(operation)) continue;
    Lengths& row = rows[names.At(operation.node)];
    row.Add(context, operation);
    all = AddSaturated(all, context.LengthOf(operation));
  }
  std::vector<std::pair<uint32_t, Lengths*>> order;
  for (auto& [name, row] : rows) order.push_back({name, &row});
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second->ns != b.second->ns ? a.second->ns > b.second->ns : a.first < b.first;
  });
  for (const auto& [name, row] : order) {
    out.rows.push_back({std::string(context.profile.Text(StringId{name})), row->Count(), row->ns,
                        row->Mean(), row->QuantileOf(0.5), row->QuantileOf(0.95),
                        Share(row->ns, all)});
  }
  out.notes.push_back("all steps together");
  NoteRecords(context, out);
}

}  // namespace gprofx::analyses
