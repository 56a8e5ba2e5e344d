#include "core/levels/layer_table.h"

namespace gprofx {

uint32_t LayerTable::TypeOf(const std::string& type) {
  const auto [found, is_new] =
      type_ids_.try_emplace(type, static_cast<uint32_t>(types_.size() + 1));
  if (is_new) types_.push_back({type, 0});
  return found->second;
}

uint32_t LayerTable::Named(const NamedModule& module) {
  const uint32_t type = TypeOf(std::string(module.type));
  const auto next = static_cast<uint32_t>(out_.layers.size() + 1);
  const auto [found, is_new] = layer_ids_.try_emplace({type, module.number, 0, 0, 0}, next);
  if (is_new) out_.layers.push_back({std::string(module.type), module.number, 0, {}, {}, {}});
  return found->second;
}

uint32_t LayerTable::Called(uint32_t type, uint32_t path, FrameId site, FrameId code) {
  const uint32_t parent = out_.LayerOf(path);
  const Frame at = site ? profile_.frame(site) : Frame{};
  const auto next = static_cast<uint32_t>(out_.layers.size() + 1);
  // The first element is the type, which is at least 1. The key therefore differs from that of
  // every named layer.
  const auto [found, is_new] =
      layer_ids_.try_emplace({type, parent, at.function.value, at.line, 1}, next);
  if (is_new) {
    out_.layers.push_back(
        {types_[type - 1].name, types_[type - 1].layers++, parent, site, code, {}});
  }
  return found->second;
}

uint32_t LayerTable::CallOf(uint32_t around, FrameId site, FrameId code) {
  const auto next = static_cast<uint32_t>(calls_.size() + 1);
  const auto [found, is_new] =
      call_ids_.try_emplace(std::tuple(around, site.value, code.value), next);
  if (is_new) calls_.push_back({around, site, code});
  return found->second;
}

uint32_t LayerTable::PathOfLayers(std::string_view text, uint32_t call, size_t node) {
  const std::vector<LayerStep> steps = SplitLayers(text);
  std::vector<const Call*> calls;  // innermost first
  for (; call != 0 && calls.size() < steps.size(); call = calls_[call - 1].around) {
    calls.push_back(&calls_[call - 1]);
  }
  uint32_t path = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const uint32_t layer = LayerOfStep(steps, i, out_.LayerOf(path));
    Layer& row = out_.layers[layer - 1];
    const size_t inner = steps.size() - 1 - i;
    if (inner < calls.size() && !row.code) {
      row.site = calls[inner]->site;
      row.code = calls[inner]->code;
    }
    path = PathTo(path, layer, node);
  }
  return path;
}

uint32_t LayerTable::LayerOfStep(const std::vector<LayerStep>& steps, size_t step,
                                 uint32_t parent) {
  const std::string type(steps[step].type);
  const std::string path = DottedLayers(steps, step + 1);
  const auto next = static_cast<uint32_t>(out_.layers.size() + 1);
  const auto [found, is_new] = named_ids_.try_emplace(path + ": " + type, next);
  if (is_new) {
    const uint32_t number = types_[TypeOf(type) - 1].layers++;
    out_.layers.push_back({type, number, parent, {}, {}, {}, path});
  }
  return found->second;
}

uint32_t LayerTable::PathTo(uint32_t parent, uint32_t layer, size_t node) {
  // A layer within itself (recursion) is one layer.
  if (out_.LayerOf(parent) == layer) return parent;
  const uint32_t depth = parent == 0 ? 1 : out_.paths[parent - 1].depth + 1;
  if (depth > kDeepestLevels) return parent;
  const auto next = static_cast<uint32_t>(out_.paths.size() + 1);
  const auto [found, is_new] = path_ids_.try_emplace(uint64_t{parent} << 32 | layer, next);
  if (is_new) {
    out_.paths.push_back({parent, layer, depth});
    Layer& row = out_.layers[layer - 1];
    if (!row.first) {
      row.parent = out_.LayerOf(parent);
      row.first = NodeId{static_cast<uint32_t>(node + 1)};
    }
  }
  return found->second;
}

}  // namespace gprofx
