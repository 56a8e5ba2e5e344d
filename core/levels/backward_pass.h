// One forward pass, the backward pass behind it, and which calls of the two belong together.
//
// Autograd runs the nodes of a graph in the reverse order of their making, so the last call of
// addmm in a forward pass belongs to the first AddmmBackward0 that follows. Only what can be
// checked is joined, in this order:
//   1. by name, where both passes have as many calls of it, or where all of the forward pass lie in
//      one layer; and where the order of most others agrees;
//   2. likewise by name between two calls that are joined already: some nodes are not run, as the
//      first layer's input needs no gradient, and some calls look like two;
//   3. what is left there: what is around all forward calls that it may belong to;
//   4. what autograd does between two nodes, as adding to a gradient or summing it to its shape:
//      where the node before it lies.
// Not told apart are two graphs of one process whose backward passes do not run in the reverse
// order of their forward passes, as those of two losses that are called in the order of their
// making. Passes that were seen in part are left to backward_parts.h. O(n log n) in the calls.
// Pure.
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
  NodeId node;        // where it begins in the tree
};

// What is known of a backward call.
struct JoinedCall {
  bool known = false;  // which forward call it belongs to, or one in the same layer
  uint32_t path = 0;   // of layers; 0 = of none, or not found
  NodeId forward;      // where the forward call begins, where known
};

struct BackwardCall {
  uint32_t name = 0;             // that of its forward calls; 0 = its node is not known by name
  bool follows = false;          // what autograd does behind a node
  std::optional<size_t> before;  // position of the call before it of its thread
  JoinedCall joined;
  std::vector<uint32_t> operations;
};

struct BackwardPass {
  std::vector<ForwardCall> forward;    // in the order of the calls
  std::vector<BackwardCall> backward;  // likewise
  bool forward_whole = true;           // all operations of it were seen
  bool backward_whole = true;

  bool whole() const { return forward_whole && backward_whole; }
};

// The innermost path that both lie in; 0 = in none.
uint32_t PathAround(const Levels& levels, uint32_t a, uint32_t b);

// Of a pass that was seen as a whole.
void JoinPass(const Levels& levels, BackwardPass& pass);

}  // namespace gprofx
