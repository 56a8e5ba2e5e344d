// Properties that nodes inherit from their parents: the user's line in a stack, the kernel that a
// value belongs to, whether a filter keeps the node, and its operator, layer or step.
//
// Parents come before their children, so one pass in order computes each node's property from its
// parent's property and its own frame. This is linear and not recursive, however deep the tree is.
// The caller supplies one small function; the walk is implemented only here. Pure.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Overloads for each kind of tree: the position of a node's parent (its own position if it has
// none) and its frame, which may be 0.
inline size_t ParentIndex(const Node& node, size_t own) {
  return node.parent ? node.parent.index() : own;
}
inline FrameId FrameOf(const Node& node) { return node.frame; }

// Computes the properties of the nodes from of_node.size() on: of_node[i] = make(above, frame).
// `above` is the parent's property, T{} if there is no parent. For a tree that grows between calls.
template <class T, class Nodes, class Make>
void ExtendDown(const Nodes& nodes, std::vector<T>& of_node, const Make& make) {
  for (size_t i = of_node.size(); i < nodes.size(); ++i) {
    const size_t parent = ParentIndex(nodes[i], i);
    const T above = parent < i ? of_node[parent] : T{};
    of_node.push_back(make(above, FrameOf(nodes[i])));
  }
}

// Returns the properties of all nodes.
template <class T, class Nodes, class Make>
std::vector<T> InheritDown(const Nodes& nodes, const Make& make) {
  std::vector<T> of_node;
  of_node.reserve(nodes.size());
  ExtendDown(nodes, of_node, make);
  return of_node;
}

}  // namespace gprofx
