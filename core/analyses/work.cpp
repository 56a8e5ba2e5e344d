#include "core/analyses/work.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/analyses/parts.h"
#include "core/arithmetic.h"
#include "core/kernel_family.h"

namespace gprofx {
namespace {

// Dense peaks in 10^12 a second and memory in 10^9 bytes a second, from the data sheets. f32 runs
// on the ordinary cores, tf32, f16 and bf16 on tensor (matrix) cores.
struct Sheet {
  std::string_view name;  // a part of the device's
  double f64, f32, tf32, f16, bf16, e4m3, memory;
};
constexpr Sheet kSheets[] = {
    {"H200", 33.5, 66.9, 494.7, 989.4, 989.4, 1978.9, 4800},
    {"H100 80GB HBM3", 33.5, 66.9, 494.7, 989.4, 989.4, 1978.9, 3352},
    {"H100 PCIe", 25.6, 51.2, 378, 756, 756, 1513, 2039},
    {"A100-SXM4-80GB", 9.7, 19.5, 156, 312, 312, 0, 2039},
    {"A100-SXM4-40GB", 9.7, 19.5, 156, 312, 312, 0, 1555},
    {"A100-PCIE-40GB", 9.7, 19.5, 156, 312, 312, 0, 1555},
    {"V100-SXM2", 7.8, 15.7, 0, 125, 0, 0, 900},
    {"Tesla T4", 0.25, 8.1, 0, 65, 0, 0, 320},
    {"L4", 0.47, 30.3, 60, 121, 121, 242, 300},
    {"MI300X", 81.7, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 5300},
};

bool IsProduct(const AnalysisContext& context, FrameId operation) {
  const Frame& frame = context.profile.frame(operation);
  if (frame.kind != FrameKind::kGpuKernel || !frame.function) return false;
  const std::string_view name =
      context.profile.Text(context.profile.function(frame.function).name);
  return WhatKernelDoes(name).family == KernelFamily::kGemm;
}

}  // namespace

std::vector<WorkOfNode> FindWork(const AnalysisContext& context) {
  const Profile& profile = context.profile;
  const MetricId flop = profile.FindMetric(kMetricOperatorFlop);
  const MetricId bytes = profile.FindMetric(kMetricOperatorBytes);
  const MetricId time = profile.FindMetric(kMetricGpu);
  if (!flop || !bytes || !time) return {};
  std::unordered_map<uint32_t, WorkOfNode> rows;  // by NodeId::value
  for (const Value& value : profile.values) {
    if (!value.node || (value.metric != flop && value.metric != bytes)) continue;
    WorkOfNode& row = rows[value.node.value];
    row.op = value.node;
    int64_t& sum = value.metric == flop ? row.flop : row.bytes;
    sum = AddSaturated(sum, value.self);
  }
  std::unordered_map<uint32_t, bool> products;  // by FrameId::value
  std::unordered_map<uint32_t, bool> several;   // by NodeId::value of the operator
  for (const Value& value : profile.values) {
    if (!value.node || value.metric != time) continue;
    const NodeLevel& level = context.levels.at(value.node);
    const auto row = rows.find(level.op_node.value);
    if (row == rows.end() || !level.operation) continue;
    const auto [product, is_new] = products.try_emplace(level.operation.value);
    if (is_new) product->second = IsProduct(context, level.operation);
    if (!product->second) continue;
    const uint32_t kernel = KeyAt(profile, context.levels, Level::kKernel, value.node);
    WorkOfNode& work = row->second;
    if (work.kernel != 0 && work.kernel != kernel) several[row->first] = true;
    work.kernel = kernel;
    work.kernel_ns = AddSaturated(work.kernel_ns, value.self);
  }
  std::vector<WorkOfNode> out;
  for (auto& [node, work] : rows) {
    if (work.kernel_ns <= 0) continue;
    if (several.contains(node)) work.kernel = 0;
    out.push_back(work);
  }
  std::sort(out.begin(), out.end(),
            [](const WorkOfNode& a, const WorkOfNode& b) { return a.op < b.op; });
  return out;
}

std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type) {
  const auto sheet = std::find_if(std::begin(kSheets), std::end(kSheets), [&](const Sheet& row) {
    return device.find(row.name) != std::string_view::npos;
  });
  if (sheet == std::end(kSheets)) return std::nullopt;
  const double peak = type == "f64"    ? sheet->f64
                      : type == "f32"  ? sheet->f32
                      : type == "tf32" ? sheet->tf32
                      : type == "f16"  ? sheet->f16
                      : type == "bf16" ? sheet->bf16
                      : type == "e4m3" ? sheet->e4m3
                                       : 0;
  if (peak <= 0) return std::nullopt;
  return DevicePeaks{peak * 1e12, sheet->memory * 1e9};
}

std::string_view TypeInName(std::string_view short_name) {
  for (size_t begin = 0; begin < short_name.size();) {
    const size_t end = std::min(short_name.find(' ', begin), short_name.size());
    const std::string_view word = short_name.substr(begin, end - begin);
    for (const std::string_view type : {"f64", "f32", "tf32", "f16", "bf16", "e4m3"}) {
      if (word == type) return type;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace gprofx
