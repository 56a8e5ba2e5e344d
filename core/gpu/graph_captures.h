// Finds the call path of a kernel that a CUDA graph ran, from the place where the kernel's graph
// node was captured.
//
// A graph launch is one call that runs many kernels. The graph node of each kernel was made
// earlier, by the call that captured the kernel. The call path of the kernel is therefore the
// launch, a marker, and the stack of the capturing call. Cloned nodes are traced back to their
// originals. The tables are bounded by kMaxNodes and kMaxFrames; kernels above these limits are
// attributed to the launch. One object per process, one thread; the profile must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/base/held_bytes.h"
#include "core/model/profile.h"

namespace gprofx {

// Name of the marker frame between a launch and the stack that captured its kernel.
inline constexpr char kCapturedAt[] = "[CUDA graph, captured at]";

struct GraphNode {
  uint64_t number = 0;    // unique in the process
  uint64_t original = 0;  // the node from which this one was cloned; 0 = not a clone
  uint32_t stack = 0;     // stack of the call that captured or added it; 0 = unknown
};

// Returns the profile's node for a stack number of the event source. Called only for stacks that
// captured work that has a record.
using StackOf = std::function<NodeId(uint32_t stack)>;

class GraphCaptures {
 public:
  static constexpr size_t kMaxNodes = 1'000'000;
  static constexpr size_t kMaxFrames = 2'000'000;  // frames of all paths in total

  explicit GraphCaptures(Profile& profile) : profile_(profile) {}

  // Adds a graph node. Returns false if the table is full.
  bool Add(const GraphNode& node);
  // Returns the node under which to put work of `graph_node` that was launched at the node
  // `launch`.
  NodeId PathOf(NodeId launch, uint64_t graph_node, const StackOf& stack_of);
  size_t bytes() const { return HeldBytes(nodes_) + HeldBytes(paths_); }  // approximate

 private:
  struct Capture {
    uint64_t original = 0;
    uint32_t stack = 0;
  };
  uint32_t StackFor(uint64_t graph_node) const;

  Profile& profile_;
  std::unordered_map<uint64_t, Capture> nodes_;
  std::unordered_map<uint64_t, NodeId> paths_;  // by launch and capture node: the path's node
  size_t path_frames_ = 0;
  FrameId marker_;
};

}  // namespace gprofx
