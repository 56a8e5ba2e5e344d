// Makes A11 and A12: tables of the kernels of each layer.
#include <algorithm>

#include "core/analyses/parts.h"
#include "core/analyses/work.h"
#include "core/base/arithmetic.h"
#include "core/kernels/kernel_family.h"

namespace gprofx::analyses {
namespace {

constexpr double kMaxOfIt = 0.5;

std::string NameOf(const AnalysisContext& context, uint32_t layer) {
  return layer == 0 ? "(no layer)" : context.levels.layer(layer).Name();
}

// True if the kernel's name indicates a matrix product on tensor cores.
bool UsesTensorCores(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  for (const char* sign :
       {"tensorop", "s1688", "s16816", "h1688", "h16816", "i16832", "xmma", "hmma", "imma", "wgmma",
        "nvjet", "884gemm", "h884", "s884", "mma_sync", "warpgroup"}) {
    if (has(sign)) return true;
  }
  return false;
}

}  // namespace

void KernelsByLayer(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"layer", "layer", CellUnit::kText},
                 {"type", "type", CellUnit::kText},
                 {"kernels", "kernels", CellUnit::kCount},
                 {"kernel_ns", "GPU", CellUnit::kNs},
                 {"share", "%kernels", CellUnit::kShare},
                 {"mean_ns", "mean", CellUnit::kNs},
                 {"flop", "FLOP", CellUnit::kFlop, false},
                 {"bytes", "bytes", CellUnit::kBytes, false},
                 {"intensity", "FLOP/B", CellUnit::kNumber, false},
                 {"known_share", "%known", CellUnit::kShare, false}};
  if (!NeedsGpu(context, out) || !NeedsLayers(context, out)) return;
  std::unordered_map<uint32_t, WorkOfNode> work;  // by layer id
  const std::vector<WorkOfNode> nodes = FindWork(context);
  for (const WorkOfNode& node : nodes) {
    WorkOfNode& layer = work[node.layer];
    layer.flop = AddSaturated(layer.flop, node.flop);
    layer.bytes = AddSaturated(layer.bytes, node.bytes);
    layer.kernel_ns = AddSaturated(layer.kernel_ns, node.kernel_ns);
  }
  for (const LevelSum& sum : context.layers) {
    if (sum.kernel_ns == 0 && sum.kernels == 0) continue;
    out.rows.push_back(
        {NameOf(context, sum.key),
         sum.key == 0 ? AnalysisCell() : AnalysisCell(context.levels.layer(sum.key).type),
         sum.kernels, sum.kernel_ns, Share(sum.kernel_ns, context.kernel_ns),
         sum.kernels > 0 ? AnalysisCell(sum.kernel_ns / sum.kernels) : AnalysisCell()});
    const auto known = work.find(sum.key);
    if (known == work.end() || known->second.bytes <= 0) {
      out.rows.back().insert(out.rows.back().end(), 4, AnalysisCell());
      continue;
    }
    const auto [flop, bytes] = std::pair(known->second.flop, known->second.bytes);
    const AnalysisCell share = KnownShare(context, known->second.kernel_ns, sum.kernel_ns);
    const double* part = std::get_if<double>(&share);
    AnalysisCell intensity;  // set only if enough of the layer's work is known
    if (part != nullptr && *part >= kMaxOfIt) {
      intensity = static_cast<double>(flop) / static_cast<double>(bytes);
    }
    for (const AnalysisCell& cell : {AnalysisCell(flop), AnalysisCell(bytes), intensity, share}) {
      out.rows.back().push_back(cell);
    }
  }
  out.notes.push_back("all steps together; a kernel counts in its innermost layer");
  out.notes.push_back(WorkNote(context, nodes));
  NoteAttributed(context, out);
}

void MetricsByLayer(const AnalysisContext& context, Analysis& out) {
  out.columns = {
      {"layer", "layer", CellUnit::kText},          {"kernel_ns", "GPU", CellUnit::kNs},
      {"occupancy", "occup", CellUnit::kShare},     {"tensor_share", "%tensor", CellUnit::kShare},
      {"product_share", "%gemm", CellUnit::kShare}, {"short_share", "%<10us", CellUnit::kShare},
      {"copied_bytes", "copied", CellUnit::kBytes}};
  if (!NeedsGpu(context, out) || !NeedsLayers(context, out)) return;
  struct Row {
    int64_t ns = 0, tensor_ns = 0, product_ns = 0, short_ns = 0, bytes = 0;
    double weighted = 0;
    int64_t weight = 0;
  };
  struct Kernel {
    bool tensor = false, product = false;
  };
  constexpr int64_t kShort = 10'000;
  const Profile& profile = context.profile;
  std::unordered_map<uint32_t, Kernel> kernels;            // by name
  std::unordered_map<uint64_t, AnalysisCell> occupancies;  // by device and launch configuration
  std::unordered_map<uint32_t, Row> rows;
  const auto& operations = context.events.operations;
  for (size_t i = 0; i < operations.size(); ++i) {
    const PhaseOperation& operation = operations[i];
    const int64_t ns = context.LengthOf(operation);
    if (!operation.node || (ns == 0 && !context.BeginsInside(operation))) continue;
    Row& row = rows[context.levels.LayerOf(context.paths[i])];
    if (i >= context.events.configs.size()) {
      if (context.BeginsInside(operation)) row.bytes = AddSaturated(row.bytes, operation.bytes);
      continue;
    }
    const uint32_t name = KeyAt(profile, context.levels, Level::kKernel, operation.node);
    const auto [known, is_new] = kernels.try_emplace(name);
    if (is_new) {
      const std::string_view text = profile.Text(StringId{name});
      const KernelFamily family = WhatKernelDoes(text).family;
      known->second.product = family == KernelFamily::kGemm ||
                              family == KernelFamily::kConvolution ||
                              family == KernelFamily::kAttention;
      known->second.tensor = known->second.product && UsesTensorCores(text);
    }
    row.ns = AddSaturated(row.ns, ns);
    if (known->second.tensor) row.tensor_ns = AddSaturated(row.tensor_ns, ns);
    if (known->second.product) row.product_ns = AddSaturated(row.product_ns, ns);
    if (ns < kShort) row.short_ns = AddSaturated(row.short_ns, ns);
    const GpuConfigId config = context.events.configs[i];
    const GpuContextId at =
        operation.stream ? profile.gpu.streams[operation.stream.index()].context : GpuContextId{};
    const GpuDeviceId device = at ? profile.gpu.contexts[at.index()].device : GpuDeviceId{};
    if (!config || !device) continue;
    const auto [occupancy, made] =
        occupancies.try_emplace(uint64_t{device.value} << 32 | config.value);
    if (made) {
      occupancy->second = TheoreticalOccupancy(profile.gpu.devices[device.index()],
                                               profile.gpu.configs[config.index()]);
    }
    if (const double* share = std::get_if<double>(&occupancy->second)) {
      row.weighted += *share * static_cast<double>(ns);
      row.weight = AddSaturated(row.weight, ns);
    }
  }
  std::vector<uint32_t> order = LayersInOrder(context);
  order.push_back(0);
  for (const uint32_t layer : order) {
    const auto found = rows.find(layer);
    if (found == rows.end()) continue;
    const Row& row = found->second;
    // If the occupancy is known for less than 95 % of the layer's time, it does not describe the
    // layer.
    const bool known = row.weight > 0 && row.weight >= row.ns / 20 * 19;
    out.rows.push_back(
        {NameOf(context, layer), row.ns,
         known ? AnalysisCell(row.weighted / static_cast<double>(row.weight)) : AnalysisCell(),
         Share(row.tensor_ns, row.ns), Share(row.product_ns, row.ns), Share(row.short_ns, row.ns),
         row.bytes});
  }
  out.notes.push_back("all steps together; shares and occupancy (theoretical) are of GPU time");
  out.notes.push_back("%tensor: lower bound, from the names of kernels");
  NoteAttributed(context, out);
}

}  // namespace gprofx::analyses
