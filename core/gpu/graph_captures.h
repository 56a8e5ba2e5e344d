// Where the nodes of CUDA graphs were captured, and the call path of a kernel that a graph ran.
//
// A graph launch is one call with many kernels. Each kernel's node of the graph was made elsewhere,
// in the call that captured it: its path is the launch, a marker, and the stack of that call.
// Clones are followed to what they were cloned from. Bounded: kMaxNodes, kMaxFrames; beyond that
// kernels stay at the launch. One per process, one thread; the profile must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/base/held_bytes.h"
#include "core/model/profile.h"

namespace gprofx {

// The marker between a launch and where its kernel was captured.
inline constexpr char kCapturedAt[] = "[CUDA graph, captured at]";

struct GraphNode {
  uint64_t number = 0;    // as its process counts
  uint64_t original = 0;  // the node that this one was cloned from; 0 = created here
  uint32_t stack = 0;     // of the call that captured or added it; 0 = unknown
};

// From a stack, as the source of the events numbers them, to the profile's node. Called for those
// stacks only whose work was seen.
using StackOf = std::function<NodeId(uint32_t stack)>;

class GraphCaptures {
 public:
  static constexpr size_t kMaxNodes = 1'000'000;
  static constexpr size_t kMaxFrames = 2'000'000;  // of all paths together

  explicit GraphCaptures(Profile& profile) : profile_(profile) {}

  // False: there is no more room.
  bool Add(const GraphNode& node);
  // The path below which work of `graph_node` belongs, launched at `launch`.
  NodeId PathOf(NodeId launch, uint64_t graph_node, const StackOf& stack_of);
  size_t bytes() const { return HeldBytes(nodes_) + HeldBytes(paths_); }  // about

 private:
  struct Capture {
    uint64_t original = 0;
    uint32_t stack = 0;
  };
  uint32_t StackFor(uint64_t graph_node) const;

  Profile& profile_;
  std::unordered_map<uint64_t, Capture> nodes_;
  std::unordered_map<uint64_t, NodeId> paths_;  // launch and capture node -> path
  size_t path_frames_ = 0;
  FrameId marker_;
};

}  // namespace gprofx
