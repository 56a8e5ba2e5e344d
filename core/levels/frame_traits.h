// What each frame means for the levels: module, operator, autograd, CUDA call. Determined once per
// frame from the names of functions (level_names.h). Used inside core/levels only; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/levels/layer_table.h"
#include "core/levels/levels.h"

namespace gprofx {

struct Trait {
  enum Kind : uint8_t {
    kNothing,
    kPython,      // may be the line that calls a module
    kPythonCall,  // __call__ of a class: forwards the call of a module
    kModuleCall,
    kForward,           // id: its type
    kFunction,          // next calls forward() of an autograd.Function
    kFunctionBackward,  // next calls its backward()
    kBackward,          // a backward()
    kLayers,            // at the leaf of a stack
    kModuleSpan,        // id: the layer
    kOperator,          // id: the operator; in a backward pass also `backward`
    kEngine,            // everything below is a backward pass
    kNode,              // of a backward pass
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

class FrameTraits {
 public:
  // All must outlive this object. Layers named by profiler spans are added to `layers`.
  FrameTraits(const Profile& profile, LayerTable& layers, Levels& out);

  const Trait& of(FrameId frame) const { return traits_[frame.index()]; }
  std::string_view NameOf(FrameId frame) const { return NameOf(profile_.frame(frame)); }
  bool has_spans() const { return has_spans_; }    // of modules
  bool has_layers() const { return has_layers_; }  // stacks that end in frames of layers
  bool is_xla(ModuleId library) const { return is_xla_[library.index()]; }

  uint32_t OperatorId(std::string_view name) { return IdOf(name, operator_ids_, out_.operators); }
  uint32_t BackwardId(std::string_view name) { return IdOf(name, backward_ids_, out_.backwards); }

 private:
  using Ids = std::unordered_map<std::string, uint32_t>;

  std::string_view NameOf(const Frame& frame) const;
  std::string_view FileOf(const Frame& frame) const;
  Trait TraitOf(const Frame& frame);
  Trait PythonTrait(std::string_view name, const Frame& frame);
  Trait NativeTrait(std::string_view name);
  Trait SpanTrait(std::string_view name);
  static uint32_t IdOf(std::string_view name, Ids& ids, std::vector<std::string>& names);

  const Profile& profile_;
  LayerTable& layers_;
  Levels& out_;
  std::vector<Trait> traits_;  // by FrameId::index()
  bool has_spans_ = false, has_layers_ = false;
  std::vector<bool> is_xla_;  // by ModuleId::index()
  Ids operator_ids_, backward_ids_;
};

}  // namespace gprofx
