// The levels of a model as a view of the one calling-context tree: for each node the module
// (layer), operator, library, call of CUDA and GPU operation that it lies in.
//
// GPU work stands below the stack that launched it, so what is attributed by this is attributed by
// its launch, never by overlap in time. Work of a CUDA graph has the modules and operators of the
// stack that captured it. What stands in no module or operator has none: nothing is guessed.
//
// Modules are the calls of torch.nn.Module in Python stacks, or the profiler's own spans
// ("nn.Module: Linear_3"). A span says which instance it is, and so does a stack that ends in a
// frame of its layers (core/model/layer_path.h): these have the names by which the model calls
// them. Of other stacks a layer is a class, the line that calls it and the layer around it, so
// modules that one line calls in a loop are one layer. Layers of a type are numbered in the order
// of their first appearance. Operators are the innermost of at::_ops::NAME::call in native stacks,
// or the innermost span (aten::mm, a named range), or a function of Python with a backward() of its
// own, which what it calls of modules leaves; of kernels that XLA launched, the instruction that
// they were made of. Linear in the nodes. Pure; ids are those of the profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct Layer {
  std::string type;     // class: "Linear"; of a bare forward() its file
  uint32_t number = 0;  // among those of its type
  uint32_t parent = 0;  // the layer around it where it was seen first; 0 = none
  FrameId site;         // the Python frame that calls it; 0 = unknown
  FrameId code;         // of its forward(); 0 = unknown
  NodeId first;         // where it was seen first; 0 = only as a frame that no stack has
  std::string path;     // "GPT.transformer.h.3.attn"; "" = not known

  std::string Name() const { return path.empty() ? type + "_" + std::to_string(number) : path; }
};

struct NodeLevel {
  uint32_t layer_path = 0;  // of Levels::paths; 0 = in no layer
  uint32_t op = 0;          // innermost operator, of Levels::operators; 0 = none
  uint32_t backward = 0;    // node of a backward pass, of Levels::backwards; 0 = none that is known
  NodeId op_node;           // where `op` begins
  NodeId backward_node;     // where `backward` begins
  ModuleId library;         // innermost native code that is not CUDA's own; 0 = unknown
  FrameId call;             // of CUDA
  FrameId operation;        // kernel, copy or memset
  bool is_backward = false;
  bool in_node = false;  // of a backward pass, or behind all; else what autograd does between two
  bool accumulates = false;  // adds a gradient to that of its parameter
};

// Of layers and of operators that lie in each other: deeper ones are those around them. No model is
// as deep; a file that says so shall not take long.
inline constexpr uint32_t kDeepestLevels = 64;

struct Levels {
  struct Path {           // of layers, from the outermost
    uint32_t parent = 0;  // 0 = none
    uint32_t layer = 0;
    uint32_t depth = 1;
  };
  // All ids are 1-based, 0 = none.
  std::vector<Layer> layers;
  std::vector<Path> paths;
  std::vector<std::string> operators;
  std::vector<std::string> backwards;  // "Addmm" of AddmmBackward0, class of an autograd.Function
  std::vector<NodeLevel> of_node;      // by NodeId::index()

  const NodeLevel& at(NodeId node) const { return of_node[node.index()]; }
  uint32_t LayerOf(uint32_t path) const { return path == 0 ? 0 : paths[path - 1].layer; }
  uint32_t LayerAt(NodeId node) const { return LayerOf(at(node).layer_path); }
  const Layer& layer(uint32_t id) const { return layers[id - 1]; }
  const std::string& op(uint32_t id) const { return operators[id - 1]; }
};

Levels FindLevels(const Profile& profile);

// The same with one layer for each class.
Levels FoldTypes(Levels levels);

}  // namespace gprofx
