// What each frame means for the levels: a module, an operator, a part of autograd or a CUDA call.
// This is determined once per frame from the names of functions (level_names.h). Used inside
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
    kPythonCall,  // __call__ of a class, which may pass on the call of a module
    kModuleCall,
    kForward,           // forward() of a module; id: its type
    kFunction,          // calls forward() of an autograd.Function next
    kFunctionBackward,  // calls backward() of an autograd.Function next
    kBackward,          // a function called backward()
    kLayers,            // names the layers of a stack, at its leaf
    kModuleSpan,        // a module's span; id: the layer
    kOperator,          // id: the operator; `backward`: its node, if in a backward pass
    kEngine,            // everything below is a backward pass
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
  bool goes_on = false;  // the operator's at::_ops::NAME::redispatch, which continues a call
};

class FrameTraits {
 public:
  // All arguments must outlive this object. Adds the layers that profiler spans name to `layers`.
  FrameTraits(const Profile& profile, LayerTable& layers, Levels& out);

  const Trait& of(FrameId frame) const { return traits_[frame.index()]; }
  std::string_view NameOf(FrameId frame) const { return NameOf(profile_.frame(frame)); }
  bool has_spans() const { return has_spans_; }    // true if there are spans of modules
  bool has_layers() const { return has_layers_; }  // true if stacks end in frames that name layers
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
