#include "core/gpu/graph_captures.h"

#include <vector>

namespace gprofx {
namespace {

// Maximum number of clones in a chain. Valid input has no longer chain.
constexpr int kMaxClones = 64;

}  // namespace

bool GraphCaptures::Add(const GraphNode& node) {
  if (nodes_.size() >= kMaxNodes && !nodes_.contains(node.number)) return false;
  nodes_[node.number] = {node.original, node.stack};
  return true;
}

// Returns the stack of the call that captured a graph node; 0 if unknown. Instantiating a graph
// clones its nodes, and only the original node was captured. The function follows the chain of
// clones to it.
uint32_t GraphCaptures::StackFor(uint64_t graph_node) const {
  uint32_t stack = 0;
  for (int i = 0; i < kMaxClones; ++i) {
    const auto found = nodes_.find(graph_node);
    if (found == nodes_.end()) break;
    if (found->second.stack != 0) stack = found->second.stack;
    if (found->second.original == 0) break;
    graph_node = found->second.original;
  }
  return stack;
}

NodeId GraphCaptures::PathOf(NodeId launch, uint64_t graph_node, const StackOf& stack_of) {
  const uint32_t stack = graph_node == 0 ? 0 : StackFor(graph_node);
  if (stack == 0) return launch;
  const NodeId capture = stack_of(stack);
  const uint64_t key = uint64_t{launch.value} << 32 | capture.value;
  if (const auto known = paths_.find(key); known != paths_.end()) return known->second;
  if (path_frames_ >= kMaxFrames) return launch;
  if (!marker_) {
    Function function;
    function.name = profile_.Intern(kCapturedAt);
    Frame frame;
    frame.kind = FrameKind::kMarker;
    frame.function = profile_.Intern(function);
    marker_ = profile_.Intern(frame);
  }
  std::vector<FrameId> frames;  // innermost first
  for (NodeId at = capture; at != profile_.root(); at = profile_.node(at).parent) {
    frames.push_back(profile_.node(at).frame);
  }
  NodeId path = profile_.Child(launch, marker_);
  for (size_t i = frames.size(); i-- > 0;) path = profile_.Child(path, frames[i]);
  path_frames_ += frames.size() + 1;
  paths_.emplace(key, path);
  return path;
}

}  // namespace gprofx
