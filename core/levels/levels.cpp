#include "core/levels/levels.h"

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/backward_marker.h"
#include "core/base/path.h"
#include "core/layer_path.h"
#include "core/levels/level_names.h"

namespace gprofx {
namespace {

// What a frame means for the levels, worked out once for each frame.
struct Trait {
  enum Kind : uint8_t {
    kNothing,
    kPython,      // may be the line that calls a module
    kPythonCall,  // __call__ of a class: passes the call of a module on
    kModuleCall,
    kForward,  // id: its type
    kFunction,          // calls forward() of an autograd.Function next
    kFunctionBackward,  // or backward()
    kBackward,          // a backward()
    kLayers,   // at the leaf of a stack
    kModuleSpan,  // id: the layer
    kOperator,    // id: the operator; of a backward pass also `backward`
    kEngine,      // what runs below is a backward pass
    kNode,        // of it
    kAccumulate,
    kMarker,
    kBackwardMarker,
    kDeviceCall,
    kOperation,
  };
  Kind kind = kNothing;
  uint32_t id = 0;
  uint32_t backward = 0;
  ModuleId library;
  bool goes_on = false;  // an operator: at::_ops::NAME::redispatch
};

class Finder {
 public:
  explicit Finder(const Profile& profile) : profile_(profile) {}

  Levels Find() {
    ReadFrames();
    out_.of_node.resize(profile_.nodes.size());
    states_.resize(profile_.nodes.size());
    if (has_layers_) FindNameless();
    for (size_t i = 0; i < profile_.nodes.size(); ++i) Extend(i);
    return std::move(out_);
  }

 private:
  struct State {    // on the way down, beside NodeLevel
    FrameId python;         // the Python frame that calls a module, if one is called here
    FrameId within;         // the same inside of Module.__call__, where forward() was not seen yet
    bool calling = false;   // inside of Module.__call__, not yet in forward()
    bool in_function = false;  // the operator is an autograd.Function
    Trait::Kind applies = Trait::kNothing;  // kFunction, kFunctionBackward: the frame before did
    uint32_t call = 0;      // the innermost forward() of a module, of calls_; 0 = none
  };
  struct Call {
    uint32_t around = 0;  // of calls_
    uint32_t type = 0;
    FrameId site, code;
  };

  std::string_view NameOf(const Frame& frame) const {
    return frame.function ? profile_.Text(profile_.function(frame.function).name)
                          : std::string_view();
  }
  std::string_view FileOf(const Frame& frame) const {
    if (frame.file) return profile_.Text(frame.file);
    return frame.function ? profile_.Text(profile_.function(frame.function).file)
                          : std::string_view();
  }

  void ReadFrames() {
    passes_on_.resize(profile_.modules.size());
    has_xla_.resize(profile_.modules.size());
    for (size_t i = 0; i < profile_.modules.size(); ++i) {
      passes_on_[i] = HandsLaunchesOn(profile_.Text(profile_.modules[i].path));
      has_xla_[i] = HasXla(profile_.Text(profile_.modules[i].path));
    }
    traits_.reserve(profile_.frames.size());
    std::unordered_map<uint64_t, Trait> known;  // kind and function: lines do not matter
    for (const Frame& frame : profile_.frames) {
      const uint64_t key = uint64_t{static_cast<uint8_t>(frame.kind)} << 32 | frame.function.value;
      const auto [found, is_new] = known.try_emplace(key);
      if (is_new) found->second = TraitOf(frame);
      Trait trait = found->second;
      const bool is_code = frame.kind == FrameKind::kNative || frame.kind == FrameKind::kInlined;
      if (is_code && frame.module && !passes_on_[frame.module.index()]) {
        trait.library = frame.module;
      }
      traits_.push_back(trait);
    }
  }

  Trait TraitOf(const Frame& frame) {
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

  Trait PythonTrait(std::string_view name, const Frame& frame) {
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
      return {Trait::kForward, TypeOf(shown)};
    }
    return {name.ends_with(".__call__") ? Trait::kPythonCall : Trait::kPython};
  }

  Trait NativeTrait(std::string_view name) {
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
                                        // Behind all nodes, and of none: DDP copies gradients there.
                                        "torch::autograd::GraphTask::exec_post_processing"}) {
      if (name.starts_with(node)) return {Trait::kNode};
    }
    return IsDeviceCall(name) ? Trait{Trait::kDeviceCall} : Trait{};
  }

  Trait SpanTrait(std::string_view name) {
    if (const auto module = ModuleOfSpan(name)) {
      has_spans_ = true;
      return {Trait::kModuleSpan, NamedLayer(*module)};
    }
    const std::string_view op = OperatorOfSpan(name);
    if (op.empty()) return {};
    if (op == "torch::autograd::AccumulateGrad") return {Trait::kAccumulate};
    const std::string_view of = BackwardOf(name);
    return {Trait::kOperator, OperatorId(op), of.empty() ? 0 : BackwardId(of)};
  }

  using Ids = std::unordered_map<std::string, uint32_t>;

  static uint32_t IdOf(std::string_view name, Ids& ids, std::vector<std::string>& names) {
    const auto next = static_cast<uint32_t>(names.size() + 1);
    const auto [found, is_new] = ids.try_emplace(std::string(name), next);
    if (is_new) names.emplace_back(name);
    return found->second;
  }
  uint32_t OperatorId(std::string_view name) { return IdOf(name, operator_ids_, out_.operators); }
  uint32_t BackwardId(std::string_view name) { return IdOf(name, backward_ids_, out_.backwards); }

  uint32_t TypeOf(const std::string& type) {
    const auto [found, is_new] =
        type_ids_.try_emplace(type, static_cast<uint32_t>(types_.size() + 1));
    if (is_new) types_.push_back({type, 0});
    return found->second;
  }

  uint32_t NamedLayer(const NamedModule& module) {
    const uint32_t type = TypeOf(std::string(module.type));
    const auto next = static_cast<uint32_t>(out_.layers.size() + 1);
    const auto [found, is_new] = layer_ids_.try_emplace({type, module.number, 0, 0, 0}, next);
    if (is_new) out_.layers.push_back({std::string(module.type), module.number, 0, {}, {}, {}});
    return found->second;
  }

  // A layer of a stack, found or made.
  uint32_t CalledLayer(uint32_t type, uint32_t path, FrameId site, FrameId code) {
    const uint32_t parent = out_.LayerOf(path);
    const Frame at = site ? profile_.frame(site) : Frame{};
    const auto next = static_cast<uint32_t>(out_.layers.size() + 1);
    // A type begins at 1, so that this is never the key of a named layer.
    const auto [found, is_new] =
        layer_ids_.try_emplace({type, parent, at.function.value, at.line, 1}, next);
    if (is_new) {
      out_.layers.push_back(
          {types_[type - 1].name, types_[type - 1].layers++, parent, site, code, {}});
    }
    return found->second;
  }

  // Nodes above which no layer is told by name: those of stacks that do not end in one. What all
  // stacks through a node have at their leaf, nobody asks the node for.
  void FindNameless() {
    constexpr uint8_t kAbove = 1, kNameless = 2;
    std::vector<uint8_t> known(profile_.nodes.size());
    for (const Value& value : profile_.values) {
      if (value.node) known[value.node.index()] = kNameless;
    }
    for (size_t i = profile_.nodes.size(); i-- > 0;) {
      const Node& node = profile_.nodes[i];
      const bool named = node.frame && traits_[node.frame.index()].kind == Trait::kLayers;
      if (known[i] == 0 && !named) known[i] = kNameless;  // a leaf
      if (!node.parent) continue;
      uint8_t& above = known[node.parent.index()];
      above |= named ? kAbove : known[i];
    }
    is_nameless_.resize(known.size());
    for (size_t i = 0; i < known.size(); ++i) is_nameless_[i] = (known[i] & kNameless) != 0;
  }

  uint32_t CallOf(const Call& call) {
    const auto next = static_cast<uint32_t>(calls_.size() + 1);
    const auto [found, is_new] = call_ids_.try_emplace(
        std::tuple(call.around, call.site.value, call.code.value), next);
    if (is_new) calls_.push_back(call);
    return found->second;
  }

  // A layer by its name, found or made; the innermost call of the stack is its own.
  uint32_t PathOfLayers(std::string_view text, uint32_t call, size_t node) {
    const std::vector<LayerStep> steps = SplitLayers(text);
    std::vector<const Call*> calls;  // the innermost first
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

  uint32_t LayerOfStep(const std::vector<LayerStep>& steps, size_t step, uint32_t parent) {
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

  uint32_t PathTo(uint32_t parent, uint32_t layer, size_t node) {
    if (out_.LayerOf(parent) == layer) return parent;  // a module's wrapper calls itself
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

  void Extend(size_t i) {
    const Node& node = profile_.nodes[i];
    NodeLevel level;
    State state;
    if (node.parent) {
      level = out_.of_node[node.parent.index()];
      state = states_[node.parent.index()];
    }
    if (node.frame) {
      const Trait& trait = traits_[node.frame.index()];
      if (trait.library && !level.operation) level.library = trait.library;
      Apply(trait, node.frame, i, level, state);
    }
    out_.of_node[i] = level;
    states_[i] = state;
  }

  // The span of the engine and that of the node itself are one.
  static void BeginBackward(uint32_t backward, size_t node, NodeLevel& level) {
    level.is_backward = level.in_node = true;
    if (level.backward == backward) return;
    level.backward = backward;
    level.backward_node = NodeId{static_cast<uint32_t>(node + 1)};
  }

  static void EndBackward(NodeLevel& level) {
    level.in_node = false;
    level.backward = 0;
    level.backward_node = {};
  }

  static void BeginOperator(uint32_t op, size_t node, NodeLevel& level) {
    level.op = op;
    level.op_node = NodeId{static_cast<uint32_t>(node + 1)};
  }

  // The lines of one function below one caller are one call.
  size_t FirstLine(size_t node) {
    const Node& row = profile_.nodes[node];
    const FunctionId function = profile_.frame(row.frame).function;
    return first_lines_.try_emplace({row.parent.value, function.value}, node).first->second;
  }

  // A function of Python with a backward() of its own is an operator, named by its class.
  void BeginFunction(size_t node, State& state, NodeLevel& level) {
    if (state.applies == Trait::kNothing) return;
    const bool is_forward = state.applies == Trait::kFunction;
    const std::string_view name = NameOf(profile_.frame(profile_.nodes[node].frame));
    const auto type = ClassOf(name, is_forward ? "forward" : "backward");
    if (!type || type->empty()) return;
    const size_t first = FirstLine(node);
    if (is_forward) {
      BeginOperator(OperatorId(*type), first, level);
    } else {
      BeginBackward(BackwardId(*type), first, level);
      BeginOperator(OperatorId(std::string(*type) + "Backward"), first, level);
    }
    state.in_function = true;
  }

  // Layers inside of a Function, as of checkpoints, are none of its own work.
  static void LeaveFunction(State& state, NodeLevel& level) {
    if (!state.in_function) return;
    state.in_function = false;
    level.op = 0;
    level.op_node = {};
  }

  void Apply(const Trait& trait, FrameId frame, size_t node, NodeLevel& level, State& state) {
    switch (trait.kind) {
      case Trait::kNothing:
      case Trait::kPythonCall:
        break;
      case Trait::kFunction:
      case Trait::kFunctionBackward:
      case Trait::kPython:
        // A decorator stands between.
        if (trait.kind != Trait::kPython || !IsClosure(NameOf(profile_.frame(frame)))) {
          state.applies = trait.kind == Trait::kPython ? Trait::kNothing : trait.kind;
        }
        (state.calling ? state.within : state.python) = frame;
        break;
      case Trait::kBackward:
        BeginFunction(node, state, level);
        state.applies = Trait::kNothing;
        (state.calling ? state.within : state.python) = frame;
        break;
      case Trait::kModuleCall:
        if (has_spans_) break;  // the profiler tells modules itself
        LeaveFunction(state, level);
        if (state.within) state.python = state.within;
        state.within = {};
        state.calling = true;
        break;
      case Trait::kForward:
        if (state.calling && (is_nameless_.empty() || is_nameless_[node])) {
          const uint32_t layer = CalledLayer(trait.id, level.layer_path, state.python, frame);
          level.layer_path = PathTo(level.layer_path, layer, node);
        }
        if (state.calling) state.call = CallOf({state.call, trait.id, state.python, frame});
        BeginFunction(node, state, level);
        state = {frame, {}, false, state.in_function, Trait::kNothing, state.call};
        break;
      case Trait::kLayers:
        level.layer_path = PathOfLayers(NameOf(profile_.frame(frame)), state.call, node);
        break;
      case Trait::kModuleSpan:
        level.layer_path = PathTo(level.layer_path, trait.id, node);
        break;
      case Trait::kOperator:
        // An operator that hands itself on to the next dispatch key is one call.
        if (level.op != trait.id || !trait.goes_on) {
          BeginOperator(trait.id, node, level);
        }
        if (trait.backward != 0) BeginBackward(trait.backward, node, level);
        break;
      case Trait::kEngine:  // below a node: it is a pass within the pass
        LeaveFunction(state, level);
        EndBackward(level);
        level.is_backward = true;
        break;
      case Trait::kNode:
        if (trait.backward != 0) {
          BeginBackward(trait.backward, node, level);
        } else {
          EndBackward(level);
          level.is_backward = level.in_node = true;
        }
        break;
      case Trait::kAccumulate:
        level.is_backward = level.accumulates = true;
        break;
      case Trait::kMarker:  // what follows is another stack
        level = NodeLevel{};
        state = State{};
        break;
      case Trait::kBackwardMarker:
        level = NodeLevel{};
        level.is_backward = level.in_node = true;
        state = State{};
        break;
      case Trait::kDeviceCall:
        if (!level.call) level.call = frame;
        break;
      case Trait::kOperation:
        level.operation = frame;
        if (level.op == 0 && level.library && has_xla_[level.library.index()]) {
          const std::string_view hlo = HloOfKernel(NameOf(profile_.frame(frame)));
          if (hlo.empty()) break;
          BeginOperator(OperatorId(hlo), node, level);
        }
        break;
    }
  }

  const Profile& profile_;
  Levels out_;
  std::vector<Trait> traits_;  // by FrameId::index()
  std::vector<State> states_;  // by NodeId::index()
  bool has_spans_ = false;     // of modules
  bool has_layers_ = false;    // stacks that end in frames of layers
  std::vector<bool> is_nameless_;  // by NodeId::index(); empty: all are
  std::vector<Call> calls_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> call_ids_;
  Ids named_ids_;
  std::vector<bool> passes_on_, has_xla_;  // by ModuleId::index()
  struct Type {
    std::string name;
    uint32_t layers = 0;  // of stacks, so far
  };
  std::vector<Type> types_;
  Ids type_ids_, operator_ids_, backward_ids_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> first_lines_;  // by caller and function
  // Type and number of a span; type, layer around it, and calling line of a stack.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> layer_ids_;
  std::unordered_map<uint64_t, uint32_t> path_ids_;
};

}  // namespace

Levels FindLevels(const Profile& profile) { return Finder(profile).Find(); }

Levels FoldTypes(Levels levels) {
  std::vector<Layer> types;
  std::unordered_map<std::string, uint32_t> ids;
  std::vector<uint32_t> type_of;  // by id of the layer - 1
  for (const Layer& layer : levels.layers) {
    const auto next = static_cast<uint32_t>(types.size() + 1);
    const auto [found, is_new] = ids.try_emplace(layer.type, next);
    if (is_new) types.push_back({layer.type, 0, 0, {}, layer.code, layer.first, layer.type});
    type_of.push_back(found->second);
  }
  levels.layers = std::move(types);
  for (Levels::Path& path : levels.paths) {
    if (path.layer != 0) path.layer = type_of[path.layer - 1];
  }
  return levels;
}

}  // namespace gprofx
