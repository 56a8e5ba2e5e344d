// Computes properties that nodes inherit from their parents. Examples: the user's line in a stack,
// the kernel that a value belongs to, whether a filter keeps the node.
//
// Parents come before their children in the table. One pass in order therefore computes each node's
// property from its parent's property and its own frame. The pass is linear and not recursive,
// however deep the tree is. The caller supplies the function that computes one property. Pure.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// ParentIndex returns the position of a node's parent, or `own`, the node's own position, if it has
// no parent. FrameOf returns the node's frame, which may be 0. Both have an overload for each kind
// of tree.
inline size_t ParentIndex(const Node& node, size_t own) {
  return node.parent ? node.parent.index() : own;
}
inline FrameId FrameOf(const Node& node) { return node.frame; }

// Computes the properties of the nodes from position of_node.size() on, and appends them to
// `of_node`: of_node[i] = make(above, frame). `above` is the property of the parent, or T{} if
// there is no parent. Call it again after the tree has grown.
template <class T, class Nodes, class Make>
void ExtendDown(const Nodes& nodes, std::vector<T>& of_node, const Make& make) {
  for (size_t i = of_node.size(); i < nodes.size(); ++i) {
    const size_t parent = ParentIndex(nodes[i], i);
    const T above = parent < i ? of_node[parent] : T{};
    of_node.push_back(make(above, FrameOf(nodes[i])));
  }
}

// Returns the properties of all nodes, by position. `make` is as in ExtendDown.
template <class T, class Nodes, class Make>
std::vector<T> InheritDown(const Nodes& nodes, const Make& make) {
  std::vector<T> of_node;
  of_node.reserve(nodes.size());
  ExtendDown(nodes, of_node, make);
  return of_node;
}

}  // namespace gprofx
