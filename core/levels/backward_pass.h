// One forward pass, the backward pass behind it, and which calls of the two belong together.
//
// Autograd runs the nodes of a graph in the reverse order of their making, so the last call of
// addmm in a forward pass belongs to the first AddmmBackward0 that follows. Only what can be
// checked is joined, in this order:
//   1. by name, where both passes have as many calls of it, or where all of the forward pass lie in
//      one layer;
//   2. by name between two calls that are joined already, by the same rule: some nodes are not run,
//      as the first layer's input needs no gradient, and some calls look like two;
//   3. a node without a forward call that put work on a GPU: the layer around its neighbours; what
//      autograd does between two nodes, as adding to a gradient or summing it to its shape: that of
//      the node before.
// Passes that were seen in part have calls that are missing, so nothing of the above proves
// anything. They are taken for the same part of a pass that was seen as a whole: what all places
// have in common at which their sequence of names occurs in it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/levels/levels.h"

namespace gprofx {

struct ForwardCall {
  uint32_t name = 0;
  uint32_t path = 0;  // of layers, as in Levels
  NodeId node;        // where it begins in the tree
};

struct BackwardCall {
  uint32_t name = 0;         // that of its forward calls; 0 = its node is not known by name
  bool follows = false;      // what autograd does behind a node
  bool known = false;        // `path` is that of a forward call
  uint32_t path = 0;         // of layers; 0 = of none, or not found
  NodeId forward;            // where the forward call begins, where known
  std::vector<uint32_t> operations;
};

struct BackwardPass {
  std::vector<ForwardCall> forward;    // in the order of the calls
  std::vector<BackwardCall> backward;  // likewise
  bool whole = true;                   // all operations of both were seen
};

// The innermost path that both lie in; 0 = in none.
uint32_t PathAround(const Levels& levels, uint32_t a, uint32_t b);

// Fills `path` and `known` of the backward calls of one process.
void JoinPasses(const Levels& levels, std::vector<BackwardPass>& passes);

}  // namespace gprofx
