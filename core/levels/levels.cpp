#include "core/levels/levels.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/levels/frame_traits.h"
#include "core/levels/layer_table.h"
#include "core/levels/level_names.h"

namespace gprofx {
namespace {

class Finder {
 public:
  explicit Finder(const Profile& profile)
      : profile_(profile), layers_(profile, out_), traits_(profile, layers_, out_) {}

  Levels Find() {
    out_.of_node.resize(profile_.nodes.size());
    states_.resize(profile_.nodes.size());
    if (traits_.has_layers()) FindNameless();
    for (size_t i = 0; i < profile_.nodes.size(); ++i) Extend(i);
    return std::move(out_);
  }

 private:
  // What a node inherits from its parent in addition to NodeLevel.
  struct State {
    // The Python frame that calls a module, if a module is called here.
    FrameId python;
    // The Python frame that calls the module, if it is in Module.__call__ before forward().
    FrameId within;
    bool calling = false;      // in Module.__call__, before forward()
    bool in_function = false;  // the current operator is an autograd.Function
    // kFunction or kFunctionBackward, if the parent is one or only decorators are in between.
    Trait::Kind applies = Trait::kNothing;
    // The innermost call of a module's forward(), an id in layers_; 0 = none.
    uint32_t call = 0;

    void Calls(FrameId frame) { (calling ? within : python) = frame; }
  };

  // Finds the nodes whose layers must be derived from the lines that call them. These are the nodes
  // with at least one stack that does not end in a frame of layers. If all stacks through a node
  // end in such a frame, the layer of the node itself is never used.
  void FindNameless() {
    constexpr uint8_t kAbove = 1, kNameless = 2;
    std::vector<uint8_t> known(profile_.nodes.size());
    for (const Value& value : profile_.values) {
      if (value.node) known[value.node.index()] = kNameless;
    }
    for (size_t i = profile_.nodes.size(); i-- > 0;) {
      const Node& node = profile_.nodes[i];
      const bool named = node.frame && traits_.of(node.frame).kind == Trait::kLayers;
      if (known[i] == 0 && !named) known[i] = kNameless;  // leaf
      if (!node.parent) continue;
      uint8_t& above = known[node.parent.index()];
      above |= named ? kAbove : known[i];
    }
    is_nameless_.resize(known.size());
    for (size_t i = 0; i < known.size(); ++i) is_nameless_[i] = (known[i] & kNameless) != 0;
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
      const Trait& trait = traits_.of(node.frame);
      if (trait.library && !level.operation) level.library = trait.library;
      Apply(trait, node.frame, i, level, state);
    }
    out_.of_node[i] = level;
    states_[i] = state;
  }

  // Begins a backward node. The engine's span of a node and the node's own span within it have the
  // same name; they count as one node.
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

  // Returns the first node with the same function and caller as `node`. Such nodes differ only in
  // their lines and belong to one call.
  size_t FirstLine(size_t node) {
    const Node& row = profile_.nodes[node];
    const FunctionId function = profile_.frame(row.frame).function;
    return first_lines_.try_emplace({row.parent.value, function.value}, node).first->second;
  }

  // If the node is the forward() or backward() of an autograd.Function, makes it an operator with
  // the name of the class.
  void BeginFunction(size_t node, State& state, NodeLevel& level) {
    if (state.applies == Trait::kNothing) return;
    const bool is_forward = state.applies == Trait::kFunction;
    const std::string_view name = traits_.NameOf(profile_.nodes[node].frame);
    const auto type = ClassOf(name, is_forward ? "forward" : "backward");
    if (!type || type->empty()) return;
    const size_t first = FirstLine(node);
    if (is_forward) {
      BeginOperator(traits_.OperatorId(*type), first, level);
    } else {
      BeginBackward(traits_.BackwardId(*type), first, level);
      BeginOperator(traits_.OperatorId(std::string(*type) + "Backward"), first, level);
    }
    state.in_function = true;
  }

  // Ends the operator of an autograd.Function where a module or a backward pass begins in it. A
  // module that such a function calls, as checkpoints do, is not part of the operator.
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
        state.applies = trait.kind;
        state.Calls(frame);
        break;
      case Trait::kPython:
        // A decorator may lie between apply() and forward() or backward().
        if (state.applies != Trait::kNothing && !IsDecorator(traits_.NameOf(frame))) {
          state.applies = Trait::kNothing;
        }
        state.Calls(frame);
        break;
      case Trait::kBackward:
        BeginFunction(node, state, level);
        state.applies = Trait::kNothing;
        state.Calls(frame);
        break;
      case Trait::kModuleCall:
        state.applies = Trait::kNothing;
        if (traits_.has_spans()) break;  // modules are found by the profiler's spans instead
        LeaveFunction(state, level);
        if (state.within) state.python = state.within;
        state.within = {};
        state.calling = true;
        break;
      case Trait::kForward:
        if (state.calling && (is_nameless_.empty() || is_nameless_[node])) {
          const uint32_t layer = layers_.Called(trait.id, level.layer_path, state.python, frame);
          level.layer_path = layers_.PathTo(level.layer_path, layer, node);
        }
        if (state.calling) state.call = layers_.CallOf(state.call, state.python, frame);
        BeginFunction(node, state, level);
        state = {frame, {}, false, state.in_function, Trait::kNothing, state.call};
        break;
      case Trait::kLayers:
        level.layer_path = layers_.PathOfLayers(traits_.NameOf(frame), state.call, node);
        break;
      case Trait::kModuleSpan:
        level.layer_path = layers_.PathTo(level.layer_path, trait.id, node);
        break;
      case Trait::kOperator:
        // If an operator redispatches to the next dispatch key, it is still the same call.
        if (level.op != trait.id || !trait.goes_on) {
          BeginOperator(trait.id, node, level);
          state.in_function = false;
        }
        if (trait.backward != 0) BeginBackward(trait.backward, node, level);
        break;
      case Trait::kEngine:  // inside a backward node, this is a nested backward pass
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
      case Trait::kMarker:  // below a marker, another stack begins
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
        if (level.op == 0 && level.library && traits_.is_xla(level.library)) {
          const std::string_view hlo = HloOfKernel(traits_.NameOf(frame));
          if (hlo.empty()) break;
          BeginOperator(traits_.OperatorId(hlo), node, level);
        }
        break;
    }
  }

  const Profile& profile_;
  Levels out_;
  LayerTable layers_;
  FrameTraits traits_;
  std::vector<State> states_;      // by NodeId::index()
  std::vector<bool> is_nameless_;  // by NodeId::index(); empty = true for all nodes
  // By caller and function: position of the first node.
  std::map<std::pair<uint32_t, uint32_t>, size_t> first_lines_;
};

}  // namespace

Levels FindLevels(const Profile& profile) { return Finder(profile).Find(); }

Levels FoldTypes(Levels levels) {
  std::vector<Layer> types;
  std::unordered_map<std::string, uint32_t> ids;
  std::vector<uint32_t> type_of;  // type of each layer, by its id - 1
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
