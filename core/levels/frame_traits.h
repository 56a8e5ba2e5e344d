// Finds what each frame means for the levels: a module, an operator, a part of autograd or a CUDA
// call. The names of functions (level_names.h) decide. Computed once per frame. Used inside
// core/levels only; one thread.
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
    kPython,      // a Python frame, which may call a module
    kPythonCall,  // __call__ of a class, which may call a module in turn
    kModuleCall,
    kForward,           // forward() of a module; id: the module's type
    kFunction,          // calls forward() of an autograd.Function next
    kFunctionBackward,  // calls backward() of an autograd.Function next
    kBackward,          // a function called backward()
    kLayers,            // at the leaf of a stack: names the layers of the stack
    kModuleSpan,        // a profiler's span of a module; id: the layer
    kOperator,          // id: the operator; `backward`: its backward node, if it is in one
    kEngine,            // autograd's engine: everything below is a backward pass
    kNode,              // a node of a backward pass
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
  bool goes_on = false;  // at::_ops::NAME::redispatch: continues a call of the operator
};

class FrameTraits {
 public:
  // All arguments must outlive this object. The constructor adds the layers that profiler spans
  // name to `layers`.
  FrameTraits(const Profile& profile, LayerTable& layers, Levels& out);

  const Trait& of(FrameId frame) const { return traits_[frame.index()]; }
  std::string_view NameOf(FrameId frame) const { return NameOf(profile_.frame(frame)); }
  bool has_spans() const { return has_spans_; }    // the profile has spans of modules
  bool has_layers() const { return has_layers_; }  // some stacks end in frames that name layers
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
