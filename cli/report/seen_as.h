// The Python line that a stack is seen as: the innermost line of the user's own code on it, else
// the innermost Python line. For a kernel of a replayed CUDA graph, whose path is the launch and
// then the capture, that is the line that captured it.
//
// Fed with the nodes of any tree, parents first. Linear; each file is judged once. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/profile.h"

namespace gprofx {

class SeenAs {
 public:
  SeenAs(const Profile& profile, size_t nodes)
      : profile_(profile), user_lines_(nodes), any_lines_(nodes) {}

  // `frame` may be 0, as for the root, which is visited with itself as parent or not at all.
  void Visit(size_t node, size_t parent, FrameId frame);

  // The line of a visited node; 0 = no Python on the way to the root.
  FrameId Of(size_t node) const { return user_lines_[node] ? user_lines_[node] : any_lines_[node]; }

 private:
  const Profile& profile_;
  std::vector<FrameId> user_lines_, any_lines_;
  std::unordered_map<uint32_t, bool> is_user_file_;
};

}  // namespace gprofx
