// Stores call paths whose frames are numbers. In some files, the frames themselves come after all
// samples. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "formats/importers/gather/limits.h"

namespace gprofx::importers {

class FrameTree {
 public:
  static constexpr int64_t kNoFrame = -1;

  struct Node {
    uint32_t parent = 0, depth = 0;
    int64_t frame = kNoFrame;
  };

  FrameTree() : nodes_(1) {}

  // Returns the child of `parent` with this frame; adds it if needed. Returns `parent` itself if
  // there is no room for more nodes.
  uint32_t Child(uint32_t parent, int64_t frame) {
    if (nodes_.size() >= kMaxNodes || nodes_[parent].depth >= kMaxDepth) {
      ++cut_frames_;
      return parent;
    }
    const auto [found, is_new] =
        index_.try_emplace({parent, frame}, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({parent, nodes_[parent].depth + 1, frame});
    return found->second;
  }
  const std::vector<Node>& nodes() const { return nodes_; }
  int64_t cut_frames() const { return cut_frames_; }

 private:
  std::vector<Node> nodes_;  // parents first; the first is the root
  std::map<std::pair<uint32_t, int64_t>, uint32_t> index_;
  int64_t cut_frames_ = 0;
};

}  // namespace gprofx::importers
