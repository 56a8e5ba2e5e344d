// Joins the calls of a backward pass with those of the forward pass before it.
//
// Autograd runs the nodes of a graph in the reverse order of their creation, so the last call of
// addmm in a forward pass belongs to the first AddmmBackward0 that follows. Only matches that can
// be verified are joined, in this order:
//   1. By name, if both passes have equally many calls of it, or if all those of the forward pass
//      lie in one layer; and if the order of most other matches agrees.
//   2. By name again, but only among the calls between two joined calls. Counts over the whole pass
//      may differ because some nodes are not run (the first layer's input needs no gradient) and
//      some calls look like two.
//   3. The remaining calls between two joined calls get the innermost path that contains all
//      forward calls that they may belong to.
//   4. Work of autograd between two nodes, such as adding to a gradient or summing it to its shape,
//      belongs to the layer of the node before it.
// Two graphs of one process cannot be distinguished if their backward passes do not run in the
// reverse order of their forward passes, such as two losses whose backward passes run in the order
// of their creation. Passes recorded in part are handled by backward_parts.h. O(n log n) in the
// calls. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/levels/levels.h"

namespace gprofx {

struct ForwardCall {
  uint32_t name = 0;
  uint32_t path = 0;  // of layers, as in Levels
  NodeId node;        // its start in the tree
};

// What is known about a backward call.
struct JoinedCall {
  bool known = false;  // its forward call, or one in the same layer, is known
  uint32_t path = 0;   // of layers; 0 = none, or not found
  NodeId forward;      // start of the forward call, if known
};

struct BackwardCall {
  uint32_t name = 0;             // that of its forward calls; 0 = name of the node is unknown
  bool follows = false;          // work of autograd after a node
  std::optional<size_t> before;  // index of the previous call of its thread
  JoinedCall joined;
  std::vector<uint32_t> operations;
};

struct BackwardPass {
  std::vector<ForwardCall> forward;    // in call order
  std::vector<BackwardCall> backward;  // in call order
  bool forward_whole = true;           // all its operations were recorded
  bool backward_whole = true;

  bool whole() const { return forward_whole && backward_whole; }
};

// Returns the innermost path that contains both; 0 = none.
uint32_t PathAround(const Levels& levels, uint32_t a, uint32_t b);

// Sets `joined` of the backward calls of `pass`, which must have been recorded completely.
void JoinPass(const Levels& levels, BackwardPass& pass);

}  // namespace gprofx
