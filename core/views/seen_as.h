// The Python line that a stack is seen as: the innermost line of the user's own code on it, else
// the innermost Python line. For a kernel of a replayed CUDA graph, whose path is the launch and
// then the capture, that is the line that captured it.
//
// A property that nodes hand down, see core/inherit.h. Linear; each file is judged once. One
// thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/inherit.h"
#include "core/profile.h"

namespace gprofx {

class SeenAs {
 public:
  explicit SeenAs(const Profile& profile) : profile_(profile) {}

  struct Lines {
    FrameId user, any;
    FrameId best() const { return user ? user : any; }  // 0 = no Python on the way to the root
  };
  Lines operator()(Lines above, FrameId frame);

 private:
  const Profile& profile_;
  std::unordered_map<uint32_t, bool> is_user_file_;
};

// For each node of any tree of the profile.
template <class Nodes>
std::vector<SeenAs::Lines> SeenAsLines(const Profile& profile, const Nodes& nodes) {
  SeenAs seen(profile);
  return InheritDown<SeenAs::Lines>(
      nodes, [&](SeenAs::Lines above, FrameId frame) { return seen(above, frame); });
}

}  // namespace gprofx
