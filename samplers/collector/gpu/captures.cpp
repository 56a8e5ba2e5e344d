#include "samplers/collector/gpu/captures.h"

#include <vector>

namespace gprofx {
namespace {

constexpr int kMostClones = 64;  // of clones; longer chains are nobody's honest work

}  // namespace

bool GraphCaptures::Add(const wire::GpuGraphNodeRecord& record) {
  const auto found = nodes_.find(record.graph_node);
  if (found == nodes_.end() && nodes_.size() >= kMostNodes) return false;
  Capture& capture = nodes_[record.graph_node];
  capture = {record.original, record.node};
  return true;
}

// The outermost original knows the stack: a clone is made when the graph is instantiated.
uint32_t GraphCaptures::WireNodeFor(uint64_t graph_node) const {
  uint32_t wire_node = 0;
  for (int i = 0; i < kMostClones; ++i) {
    const auto found = nodes_.find(graph_node);
    if (found == nodes_.end()) break;
    if (found->second.wire_node != 0) wire_node = found->second.wire_node;
    if (found->second.original == 0) break;
    graph_node = found->second.original;
  }
  return wire_node;
}

NodeId GraphCaptures::PathOf(NodeId launch, uint64_t graph_node, const WireNodeOf& node_of) {
  const uint32_t wire_node = graph_node == 0 ? 0 : WireNodeFor(graph_node);
  if (wire_node == 0) return launch;
  const NodeId capture = node_of(wire_node);
  const uint64_t key = uint64_t{launch.value} << 32 | capture.value;
  if (const auto known = paths_.find(key); known != paths_.end()) return known->second;
  if (path_frames_ >= kMostFrames) return launch;
  if (!marker_) {
    Function function;
    function.name = profile_.Intern("[CUDA graph, captured at]");
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
