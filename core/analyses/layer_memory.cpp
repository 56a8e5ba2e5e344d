// Makes A4 and A7: the GPU memory of each layer and of each type of layer.
#include <algorithm>
#include <map>

#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"
#include "core/gpu/gpu_memory.h"

namespace gprofx::analyses {
namespace {

constexpr char kNoAllocations[] = "(not in this profile): no event of an allocator was recorded";

bool NeedsMemory(const AnalysisContext& context, Analysis& out) {
  if (!context.events.memory.empty()) return true;
  out.reason = kNoAllocations;
  return false;
}

// Returns the accounts of all allocators. GpuMemory::IsShown() of the result says whose memory is
// counted: the driver's is not if the program uses a framework's allocator.
GpuMemory Owners(const std::vector<MemoryEvent>& events) {
  GpuMemory owners;
  for (MemoryEvent event : events) {
    event.allocated = -1;
    owners.Add(event);
  }
  return owners;
}

void NoteMemory(const AnalysisContext& context, Analysis& out) {
  bool is_framework = false;
  for (const MemoryEvent& event : context.events.memory) {
    is_framework = is_framework || event.source == MemorySource::kFramework;
  }
  out.notes.push_back(is_framework ? "blocks that the framework's allocator handed out"
                                   : "memory that the driver handed out");
}

}  // namespace

std::unordered_map<uint32_t, LayerMemorySum> MemoryByLayer(const AnalysisContext& context) {
  std::unordered_map<uint32_t, LayerMemorySum> sums;
  if (context.events.memory.empty()) return sums;
  const GpuMemory owners = Owners(context.events.memory);
  GpuMemory memory;
  for (MemoryEvent event : context.events.memory) {
    const MemoryOwner owner{event.process, event.device, event.source == MemorySource::kFramework};
    memory.Add(event);
    if (!owners.IsShown(owner) || event.time < context.counted.begin ||
        event.time >= context.counted.end)
      continue;
    uint32_t path = event.node ? context.levels.at(event.node).layer_path : 0;
    LayerMemorySum& sum = sums[context.levels.LayerOf(path)];
    if (event.bytes < 0) {
      sum.freed = SubtractSaturated(sum.freed, event.bytes);
      continue;
    }
    ++sum.allocations;
    sum.allocated = AddSaturated(sum.allocated, event.bytes);
    const int64_t live = memory.accounts().at(owner).live();
    for (;; path = context.levels.paths[path - 1].parent) {
      LayerMemorySum& around = sums[context.levels.LayerOf(path)];
      around.peak = std::max(around.peak, live);
      if (path == 0) break;
    }
  }
  return sums;
}

void LayerMemory(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"layer", "layer", CellUnit::kText},
                 {"allocated_bytes", "allocated", CellUnit::kBytes},
                 {"freed_bytes", "freed", CellUnit::kBytes},
                 {"peak_bytes", "peak inside", CellUnit::kBytes}};
  if (!NeedsMemory(context, out) || !NeedsLayers(context, out)) return;
  out.columns.push_back({"allocations", "allocations", CellUnit::kCount});
  const auto sums = MemoryByLayer(context);
  const auto add = [&](std::string name, uint32_t layer) {
    const auto found = sums.find(layer);
    const LayerMemorySum sum = found == sums.end() ? LayerMemorySum{} : found->second;
    AnalysisCell peak;
    if (sum.peak >= 0) peak = sum.peak;
    out.rows.push_back({std::move(name), context.PerStep(sum.allocated), context.PerStep(sum.freed),
                        std::move(peak), context.PerStep(sum.allocations)});
  };
  for (const uint32_t id : LayersInOrder(context)) add(context.levels.layer(id).Name(), id);
  add("(no layer)", 0);
  NoteSteps(context, out);
  NoteMemory(context, out);
  out.notes.push_back(
      "peak inside: maximum memory live on the GPU when the layer, or one in it, allocated");
}

void MemoryByType(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"type", "type", CellUnit::kText},
                 {"allocated_bytes", "allocated", CellUnit::kBytes},
                 {"share", "share", CellUnit::kShare}};
  if (!NeedsMemory(context, out) || !NeedsLayers(context, out)) return;
  const auto sums = MemoryByLayer(context);
  std::map<std::string, int64_t> types;
  int64_t all = 0;
  for (const auto& [layer, sum] : sums) {
    const std::string type = layer == 0 ? "(no layer)" : context.levels.layer(layer).type;
    types[type] = AddSaturated(types[type], sum.allocated);
    all = AddSaturated(all, sum.allocated);
  }
  std::vector<std::pair<std::string, int64_t>> order(types.begin(), types.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [type, bytes] : order) {
    out.rows.push_back({type, context.PerStep(bytes), Share(bytes, all)});
  }
  NoteSteps(context, out);
  NoteMemory(context, out);
}

}  // namespace gprofx::analyses
