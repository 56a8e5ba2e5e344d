// A property that nodes hand down to their children: the user's line of a stack, the kernel that a
// value belongs to, whether a filter keeps it, the operator, layer or step that it lies in.
//
// Parents come before their children, so one pass in order makes each node's property of its
// parent's and of its own frame: linear, without recursion, however deep the tree is. What a
// property is made of is one small function; the walk is written here only. Pure.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// What the walk asks of a node, for each kind of tree: its parent's position (its own where it has
// none) and its frame, which may be 0.
inline size_t ParentIndex(const Node& node, size_t own) {
  return node.parent ? node.parent.index() : own;
}
inline FrameId FrameOf(const Node& node) { return node.frame; }

// Makes the properties of the nodes from of_node.size() on: of_node[i] = make(above, frame).
// `above` is the parent's, T{} where there is none. For a tree that grows between calls.
template <class T, class Nodes, class Make>
void ExtendDown(const Nodes& nodes, std::vector<T>& of_node, const Make& make) {
  for (size_t i = of_node.size(); i < nodes.size(); ++i) {
    const size_t parent = ParentIndex(nodes[i], i);
    const T above = parent < i ? of_node[parent] : T{};
    of_node.push_back(make(above, FrameOf(nodes[i])));
  }
}

// The properties of all nodes.
template <class T, class Nodes, class Make>
std::vector<T> InheritDown(const Nodes& nodes, const Make& make) {
  std::vector<T> of_node;
  of_node.reserve(nodes.size());
  ExtendDown(nodes, of_node, make);
  return of_node;
}

}  // namespace gprofx
