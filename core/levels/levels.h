// Finds the levels of a model in the calling-context tree: for each node its module (layer),
// operator, library, CUDA call and GPU operation.
//
// In the tree, GPU work is a child of the stack that launched it. Its levels are those of its
// launch; overlap in time plays no role. Work of a CUDA graph has the modules and operators of the
// stack that captured the graph. Nothing is guessed: work outside of modules or operators has none.
//
// Modules are the calls of torch.nn.Module in Python stacks, or the profiler's own spans
// ("nn.Module: Linear_3"). A span identifies the instance of a module. So does a stack that ends in
// a frame of its layers (core/model/layer_path.h): these have the names by which the model calls
// them. In other stacks, a layer is identified by its class, the line that calls it, and the layer
// around it. Modules that one line calls in a loop are therefore one layer. Layers of a type are
// numbered in the order of their first appearance.
//
// Operators are the innermost at::_ops::NAME::call in native stacks, the innermost span (aten::mm,
// a named range), or a Python function with a backward() of its own. Modules that such a function
// calls are not part of its operator. For kernels launched by XLA, the operator is the HLO
// instruction that they implement. Linear in the nodes. Pure; ids are those of the profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct Layer {
  std::string type;     // class, such as "Linear"; file, if the function is only "forward"
  uint32_t number = 0;  // index among the layers of its type
  uint32_t parent = 0;  // layer in which it first appears; 0 = none
  FrameId site;         // the Python frame that calls it; 0 = unknown
  FrameId code;         // the function forward() of its class; 0 = unknown
  NodeId first;         // its first node; 0 = only a frame that is in no stack names it
  std::string path;     // "GPT.transformer.h.3.attn"; "" = unknown

  std::string Name() const { return path.empty() ? type + "_" + std::to_string(number) : path; }
};

struct NodeLevel {
  uint32_t layer_path = 0;  // position in Levels::paths; 0 = in no layer
  uint32_t op = 0;          // innermost operator, position in Levels::operators; 0 = none
  uint32_t backward = 0;    // backward node, position in Levels::backwards; 0 = unknown
  NodeId op_node;           // first node of `op`
  NodeId backward_node;     // first node of `backward`
  ModuleId library;         // innermost native library that is not part of CUDA; 0 = unknown
  FrameId call;             // the CUDA call
  FrameId operation;        // kernel, copy or memset
  bool is_backward = false;
  bool in_node = false;      // true in a backward node or after the last one; false between nodes
  bool accumulates = false;  // it adds a gradient to the gradient of its parameter
};

// Maximum nesting of layers and of operators. Deeper ones count as part of the one around them. No
// real model is as deep; the limit bounds the time for broken files.
inline constexpr uint32_t kDeepestLevels = 64;

struct Levels {
  struct Path {           // a path of layers, outermost first
    uint32_t parent = 0;  // 0 = none
    uint32_t layer = 0;
    uint32_t depth = 1;
  };
  // All ids are 1-based; 0 = none.
  std::vector<Layer> layers;
  std::vector<Path> paths;
  std::vector<std::string> operators;
  // Names of backward nodes: "Addmm" for AddmmBackward0, or the class of an autograd.Function.
  std::vector<std::string> backwards;
  std::vector<NodeLevel> of_node;  // by NodeId::index()

  const NodeLevel& at(NodeId node) const { return of_node[node.index()]; }
  uint32_t LayerOf(uint32_t path) const { return path == 0 ? 0 : paths[path - 1].layer; }
  uint32_t LayerAt(NodeId node) const { return LayerOf(at(node).layer_path); }
  const Layer& layer(uint32_t id) const { return layers[id - 1]; }
  const std::string& op(uint32_t id) const { return operators[id - 1]; }
};

Levels FindLevels(const Profile& profile);

// Returns the levels with all layers of the same class merged into one.
Levels FoldTypes(Levels levels);

}  // namespace gprofx
