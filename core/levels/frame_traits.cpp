#include "core/levels/frame_traits.h"

#include "core/base/path.h"
#include "core/events/backward_marker.h"
#include "core/levels/level_names.h"

namespace gprofx {

std::string_view FrameTraits::NameOf(const Frame& frame) const {
  return frame.function ? profile_.Text(profile_.function(frame.function).name)
                        : std::string_view();
}
std::string_view FrameTraits::FileOf(const Frame& frame) const {
  if (frame.file) return profile_.Text(frame.file);
  return frame.function ? profile_.Text(profile_.function(frame.function).file)
                        : std::string_view();
}

FrameTraits::FrameTraits(const Profile& profile, LayerTable& layers, Levels& out)
    : profile_(profile), layers_(layers), out_(out) {
  std::vector<bool> passes_on;  // by ModuleId::index()
  for (const Module& module : profile_.modules) {
    passes_on.push_back(HandsLaunchesOn(profile_.Text(module.path)));
    is_xla_.push_back(HasXla(profile_.Text(module.path)));
  }
  traits_.reserve(profile_.frames.size());
  std::unordered_map<uint64_t, Trait> known;  // by kind and function; lines do not matter
  for (const Frame& frame : profile_.frames) {
    const uint64_t key = uint64_t{static_cast<uint8_t>(frame.kind)} << 32 | frame.function.value;
    const auto [found, is_new] = known.try_emplace(key);
    if (is_new) found->second = TraitOf(frame);
    Trait trait = found->second;
    const bool is_code = frame.kind == FrameKind::kNative || frame.kind == FrameKind::kInlined;
    if (is_code && frame.module && !passes_on[frame.module.index()]) {
      trait.library = frame.module;
    }
    traits_.push_back(trait);
  }
}

Trait FrameTraits::TraitOf(const Frame& frame) {
  const std::string_view name = NameOf(frame);
  switch (frame.kind) {
    case FrameKind::kPython:
      return PythonTrait(name, frame);
    case FrameKind::kNative:
    case FrameKind::kInlined:
      return NativeTrait(name);
    case FrameKind::kOperator:
      return SpanTrait(name);
    case FrameKind::kCudaApi:
      return {Trait::kDeviceCall};
    case FrameKind::kMarker:
      return {name == kBackwardMarker ? Trait::kBackwardMarker : Trait::kMarker};
    case FrameKind::kGpuKernel:
    case FrameKind::kGpuCopy:
      return {Trait::kOperation};
    case FrameKind::kLayer:
      has_layers_ = true;
      return {Trait::kLayers};
    default:
      return {};
  }
}

Trait FrameTraits::PythonTrait(std::string_view name, const Frame& frame) {
  if (IsModuleCall(name, FileOf(frame))) return {Trait::kModuleCall};
  if (FileOf(frame).ends_with("torch/autograd/function.py")) {
    if (name == "Function.apply") return {Trait::kFunction};
    if (name == "BackwardCFunction.apply") return {Trait::kFunctionBackward};
  }
  if (ClassOf(name, "backward")) return {Trait::kBackward};
  if (const auto type = ClassOf(name, "forward")) {
    std::string shown(*type);
    if (shown.empty()) {
      shown = std::string(BaseName(FileOf(frame))) + ":" +
              std::to_string(profile_.function(frame.function).first_line);
    }
    return {Trait::kForward, layers_.TypeOf(shown)};
  }
  return {name.ends_with(".__call__") ? Trait::kPythonCall : Trait::kPython};
}

Trait FrameTraits::NativeTrait(std::string_view name) {
  if (const std::string_view op = OperatorOfSymbol(name); !op.empty()) {
    Trait trait{Trait::kOperator, OperatorId(op)};
    trait.goes_on = name.find("::redispatch") != std::string_view::npos;
    return trait;
  }
  constexpr std::string_view kGenerated = "torch::autograd::generated::";
  if (name.starts_with(kGenerated)) {
    if (const std::string_view of = BackwardOf(name); !of.empty()) {
      return {Trait::kNode, 0, BackwardId(of)};
    }
  }
  if (name.starts_with("torch::autograd::AccumulateGrad::apply")) return {Trait::kAccumulate};
  if (name.starts_with("torch::autograd::Engine::thread_main")) return {Trait::kEngine};
  for (const std::string_view node : {"torch::autograd::Node::operator()",
                                      "torch::autograd::PyNode::apply", "torch::autograd::CppNode",
                                      // This runs after all nodes of a backward pass and belongs to
                                      // none of them; DDP copies gradients in it.
                                      "torch::autograd::GraphTask::exec_post_processing"}) {
    if (name.starts_with(node)) return {Trait::kNode};
  }
  return IsDeviceCall(name) ? Trait{Trait::kDeviceCall} : Trait{};
}

Trait FrameTraits::SpanTrait(std::string_view name) {
  if (const auto module = ModuleOfSpan(name)) {
    has_spans_ = true;
    return {Trait::kModuleSpan, layers_.Named(*module)};
  }
  const std::string_view op = OperatorOfSpan(name);
  if (op.empty()) return {};
  if (op == "torch::autograd::AccumulateGrad") return {Trait::kAccumulate};
  const std::string_view of = BackwardOf(name);
  return {Trait::kOperator, OperatorId(op), of.empty() ? 0 : BackwardId(of)};
}

uint32_t FrameTraits::IdOf(std::string_view name, Ids& ids, std::vector<std::string>& names) {
  const auto next = static_cast<uint32_t>(names.size() + 1);
  const auto [found, is_new] = ids.try_emplace(std::string(name), next);
  if (is_new) names.emplace_back(name);
  return found->second;
}

}  // namespace gprofx
