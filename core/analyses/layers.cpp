// Makes A2, A3, A5, A6 and A13: tables of layers and layer types.
#include <algorithm>

#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"

namespace gprofx::analyses {
namespace {

std::unordered_map<uint32_t, const LevelSum*> ByKey(const std::vector<LevelSum>& sums) {
  std::unordered_map<uint32_t, const LevelSum*> out;
  for (const LevelSum& sum : sums) out[sum.key] = &sum;
  return out;
}

// Returns the source line that calls the layer, such as "model.py:88"; "" if unknown.
std::string SiteOf(const Profile& profile, const Layer& layer) {
  if (!layer.site) return "";
  const Frame& frame = profile.frame(layer.site);
  const StringId file = frame.file       ? frame.file
                        : frame.function ? profile.function(frame.function).file
                                         : StringId{};
  if (!file) return "";
  return std::string(profile.Text(file)) + ":" + std::to_string(frame.line);
}

AnalysisCell HostCell(const AnalysisContext& context, const HostTimeByLayer& host, uint32_t layer) {
  const auto found = host.layers.find(layer);
  if (!host.reason.empty()) return {};
  return found == host.layers.end() ? int64_t{0} : context.PerStep(found->second.Sum());
}

int64_t AllocatedIn(const AnalysisContext& context,
                    const std::unordered_map<uint32_t, LayerMemorySum>& memory, uint32_t layer) {
  const auto found = memory.find(layer);
  return found == memory.end() ? 0 : context.PerStep(found->second.allocated);
}

const LevelSum* RestOf(const std::vector<LevelSum>& sums) {
  return !sums.empty() && sums.back().key == 0 ? &sums.back() : nullptr;
}

void NoteHost(const HostTimeByLayer& host, Analysis& out) {
  out.notes.push_back(host.reason.empty() ? host.note : "host: " + host.reason);
}

struct TypeSum {
  std::string type;
  int64_t layers = 0, gpu_ns = 0, backward_ns = 0, host_ns = 0, operations = 0;
};

// Sums up layers by type. If a layer contains another one of the same type, the host time of the
// inner one is part of the outer one and does not count again.
std::vector<TypeSum> SumTypes(const AnalysisContext& context, const HostTimeByLayer& host) {
  const auto sums = ByKey(context.layers);
  std::map<std::string, TypeSum> types;
  for (const uint32_t id : LayersInOrder(context)) {
    const Layer& layer = context.levels.layer(id);
    TypeSum& type = types[layer.type];
    type.type = layer.type;
    ++type.layers;
    const auto found = sums.find(id);
    if (found != sums.end()) {
      type.gpu_ns = AddSaturated(type.gpu_ns, found->second->gpu_ns);
      type.backward_ns = AddSaturated(type.backward_ns, found->second->backward_ns);
      type.operations = AddSaturated(type.operations, found->second->operations);
    }
    bool inside = false;
    for (uint32_t outer = layer.parent; outer != 0 && !inside;
         outer = context.levels.layer(outer).parent) {
      inside = context.levels.layer(outer).type == layer.type;
    }
    const auto time = host.layers.find(id);
    if (!inside && time != host.layers.end()) {
      type.host_ns = AddSaturated(type.host_ns, time->second.Sum());
    }
  }
  std::vector<TypeSum> out;
  for (auto& [_, type] : types) out.push_back(std::move(type));
  std::stable_sort(out.begin(), out.end(), [](const TypeSum& a, const TypeSum& b) {
    return a.gpu_ns != b.gpu_ns ? a.gpu_ns > b.gpu_ns : a.host_ns > b.host_ns;
  });
  return out;
}

}  // namespace

void LayerInformation(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"index", "#", CellUnit::kCount},
                 {"layer", "layer", CellUnit::kText},
                 {"type", "type", CellUnit::kText, false},
                 {"inside", "inside", CellUnit::kText},
                 {"host_ns", "host", CellUnit::kNs},
                 {"gpu_ns", "GPU", CellUnit::kNs},
                 {"gpu_total_ns", "with inner", CellUnit::kNs},
                 {"operations", "GPU ops", CellUnit::kCount},
                 {"called_at", "called at", CellUnit::kPath, false}};
  if (!NeedsLayers(context, out)) return;
  const auto memory = MemoryByLayer(context);
  const bool has_memory = !context.events.memory.empty();
  if (has_memory) out.columns.push_back({"allocated_bytes", "allocated", CellUnit::kBytes});
  const HostTimeByLayer host = HostTimeOf(context);
  const auto sums = ByKey(context.layers);
  int64_t index = 0;
  for (const uint32_t id : LayersInOrder(context)) {
    const Layer& layer = context.levels.layer(id);
    const auto found = sums.find(id);
    const LevelSum none, &sum = found == sums.end() ? none : *found->second;
    std::string inside;
    if (layer.parent != 0) inside = context.levels.layer(layer.parent).Name();
    std::vector<AnalysisCell> cells = {++index,
                                       layer.Name(),
                                       layer.type,
                                       std::move(inside),
                                       HostCell(context, host, id),
                                       context.PerStep(sum.gpu_ns),
                                       context.PerStep(sum.total_ns),
                                       context.PerStep(sum.operations),
                                       SiteOf(context.profile, layer)};
    if (has_memory) cells.emplace_back(AllocatedIn(context, memory, id));
    out.rows.push_back(std::move(cells));
  }
  NoteSteps(context, out);
  NoteAttributed(context, out);
  NoteHost(host, out);
  out.notes.push_back(has_memory ? "shapes of outputs are not in this profile"
                                 : "shapes of outputs and allocated bytes are not in this profile");
}

void LayerLatency(const AnalysisContext& context, Analysis& out) {
  out.columns = {
      {"index", "#", CellUnit::kCount},           {"layer", "layer", CellUnit::kText},
      {"host_ns", "host", CellUnit::kNs},         {"gpu_ns", "GPU", CellUnit::kNs},
      {"share", "%GPU", CellUnit::kShare},        {"forward_ns", "forward", CellUnit::kNs},
      {"backward_ns", "backward", CellUnit::kNs}, {"gpu_total_ns", "with inner", CellUnit::kNs}};
  if (!NeedsLayers(context, out)) return;
  const HostTimeByLayer host = HostTimeOf(context);
  const auto sums = ByKey(context.layers);
  int64_t index = 0;
  const auto add = [&](AnalysisCell name, AnalysisCell host_ns, const LevelSum& sum) {
    out.rows.push_back({++index, std::move(name), std::move(host_ns), context.PerStep(sum.gpu_ns),
                        Share(sum.gpu_ns, context.gpu_ns),
                        context.PerStep(sum.gpu_ns - sum.backward_ns),
                        context.PerStep(sum.backward_ns), context.PerStep(sum.total_ns)});
  };
  for (const uint32_t id : LayersInOrder(context)) {
    const auto found = sums.find(id);
    add(context.levels.layer(id).Name(), HostCell(context, host, id),
        found == sums.end() ? LevelSum{} : *found->second);
  }
  if (const LevelSum* rest = RestOf(context.layers)) add("(no layer)", {}, *rest);
  NoteSteps(context, out);
  NoteAttributed(context, out);
  NoteHost(host, out);
}

void LayerTypes(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"type", "type", CellUnit::kText},
                 {"layers", "layers", CellUnit::kCount},
                 {"share", "share", CellUnit::kShare}};
  if (!NeedsLayers(context, out)) return;
  std::vector<TypeSum> types = SumTypes(context, {});
  std::stable_sort(types.begin(), types.end(),
                   [](const TypeSum& a, const TypeSum& b) { return a.layers > b.layers; });
  int64_t all = 0;
  for (const TypeSum& type : types) all += type.layers;
  for (const TypeSum& type : types) {
    out.rows.push_back({type.type, type.layers, Share(type.layers, all)});
  }
  if (std::any_of(context.levels.layers.begin(), context.levels.layers.end(),
                  [](const Layer& layer) { return layer.code && layer.path.empty(); })) {
    out.notes.push_back("modules that one line calls in a loop are one layer");
  }
}

void LatencyByType(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"type", "type", CellUnit::kText},
                 {"layers", "layers", CellUnit::kCount},
                 {"operations", "GPU ops", CellUnit::kCount},
                 {"host_ns", "host", CellUnit::kNs},
                 {"gpu_ns", "GPU", CellUnit::kNs},
                 {"backward_ns", "backward", CellUnit::kNs},
                 {"share", "%GPU", CellUnit::kShare}};
  if (!NeedsLayers(context, out)) return;
  const HostTimeByLayer host = HostTimeOf(context);
  for (const TypeSum& type : SumTypes(context, host)) {
    AnalysisCell host_ns;
    if (host.reason.empty()) host_ns = context.PerStep(type.host_ns);
    out.rows.push_back({type.type, type.layers, context.PerStep(type.operations), host_ns,
                        context.PerStep(type.gpu_ns), context.PerStep(type.backward_ns),
                        Share(type.gpu_ns, context.gpu_ns)});
  }
  if (const LevelSum* rest = RestOf(context.layers)) {
    out.rows.push_back({"(no layer)",
                        {},
                        context.PerStep(rest->operations),
                        {},
                        context.PerStep(rest->gpu_ns),
                        context.PerStep(rest->backward_ns),
                        Share(rest->gpu_ns, context.gpu_ns)});
  }
  NoteSteps(context, out);
  NoteAttributed(context, out);
  NoteHost(host, out);
}

void GpuAgainstHost(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"layer", "layer", CellUnit::kText},
                 {"host_ns", "host", CellUnit::kNs},
                 {"gpu_busy_ns", "GPU busy", CellUnit::kNs},
                 {"not_gpu_ns", "not GPU", CellUnit::kNs},
                 {"python_ns", "Python", CellUnit::kNs},
                 {"dispatch_ns", "dispatch", CellUnit::kNs},
                 {"launch_ns", "launch", CellUnit::kNs},
                 {"wait_ns", "wait", CellUnit::kNs},
                 {"allocator_ns", "alloc", CellUnit::kNs, false},
                 {"copy_ns", "copy", CellUnit::kNs, false}};
  if (!NeedsLayers(context, out)) return;
  const HostTimeByLayer host = HostTimeOf(context);
  if (!host.reason.empty()) {
    out.reason = host.reason;
    return;
  }
  const auto busy = BusyByLayer(context);
  for (const uint32_t id : LayersInOrder(context)) {
    const auto found = host.layers.find(id);
    const HostTimeByLayer::Row none, &row = found == host.layers.end() ? none : found->second;
    const auto gpu = busy.find(id);
    const int64_t gpu_ns = gpu == busy.end() ? 0 : gpu->second, host_ns = row.Sum();
    std::vector<AnalysisCell> cells = {context.levels.layer(id).Name(), context.PerStep(host_ns)};
    cells.resize(4);
    if (!context.is_estimated) cells[2] = context.PerStep(gpu_ns);
    // GPU work may continue after the host has left the layer; the difference is then 0.
    if (host.is_span) cells[3] = context.PerStep(std::max<int64_t>(host_ns - gpu_ns, 0));
    for (const int64_t ns : row.ns) cells.push_back(context.PerStep(ns));
    out.rows.push_back(std::move(cells));
  }
  NoteSteps(context, out);
  NoteHost(host, out);
  out.notes.push_back("layers include the layers in them; GPU busy: overlaps count once");
  if (context.is_estimated) {
    out.notes.push_back(
        "GPU busy: unknown, because records were made for only part of the launches");
  }
  if (!host.is_span) {
    out.notes.push_back(
        "not GPU: unknown, because samples do not show when a layer begins and ends");
  }
}

}  // namespace gprofx::analyses
