// Joins the calls of a backward pass with the calls of the forward pass before it.
//
// Autograd runs the nodes of a graph in the reverse order of their creation. The last call of addmm
// in a forward pass thus belongs to the first AddmmBackward0 that follows. Calls are joined only if
// the match can be verified, in this order:
//   1. Calls with the same name, if both passes have equally many of them, or if all those of the
//      forward pass are in one layer. The order of most other matches must agree.
//   2. Again by name, but only among the calls between two joined calls. The numbers in the whole
//      pass may differ because some nodes are not run (the first layer's input needs no gradient)
//      and some calls appear as two.
//   3. The remaining calls between two joined calls get the innermost path that contains all
//      forward calls that they may belong to.
//   4. Work of autograd between two nodes, such as adding to a gradient or summing it to its shape,
//      belongs to the layer of the node before it.
//
// Two graphs of one process cannot be distinguished if their backward passes do not run in the
// reverse order of their forward passes. An example is a program with two losses whose backward
// passes run in the order of their creation. backward_parts.h handles passes that were recorded
// only in part. O(n log n) in the calls. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/levels/levels.h"

namespace gprofx {

struct ForwardCall {
  uint32_t name = 0;
  uint32_t path = 0;  // layer path: position in Levels::paths
  NodeId node;        // its first node in the tree
};

// What is known about the forward call that belongs to a backward call.
struct JoinedCall {
  bool known = false;  // its forward call is known, or another one in the same layer
  uint32_t path = 0;   // layer path; 0 = none, or not found
  NodeId forward;      // first node of the forward call, if known
};

struct BackwardCall {
  uint32_t name = 0;             // name of its forward calls; 0 = the name of the node is unknown
  bool follows = false;          // it is work of autograd after a node and before the next
  std::optional<size_t> before;  // index of the previous backward call of its thread
  JoinedCall joined;
  std::vector<uint32_t> operations;
};

struct BackwardPass {
  std::vector<ForwardCall> forward;    // in call order
  std::vector<BackwardCall> backward;  // in call order
  bool forward_whole = true;           // all operations of the forward pass were recorded
  bool backward_whole = true;

  bool whole() const { return forward_whole && backward_whole; }
};

// Returns the innermost path that contains the paths `a` and `b`; 0 if there is none.
uint32_t PathAround(const Levels& levels, uint32_t a, uint32_t b);

// Sets BackwardCall::joined of all calls of `pass`, which must have been recorded completely.
void JoinPass(const Levels& levels, BackwardPass& pass);

}  // namespace gprofx
