// Makes the call paths of a thread of a Firefox profile. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/json/firefox_tables.h"

namespace gprofx::importers::firefox {

// The frames and call paths of a thread. They are made when a sample first uses them.
class Paths {
 public:
  // `own`, `shared` and `profile` must outlive the object.
  Paths(const Tables& own, const Tables& shared, Profile& profile);

  // Returns the node of a stack, or the root if there is no stack. In the table, the prefix of a
  // stack must come before the stack; otherwise it is ignored.
  NodeId NodeOf(int64_t stack);
  int64_t cut_frames() const { return cut_frames_; }

 private:
  struct Made {
    NodeId node;  // 0 = not made yet
    size_t depth = 0;
  };

  bool IsMissing(int64_t stack) const;
  Made Below(const Made& prefix, int64_t frame);
  std::string_view TextAt(int64_t index) const;
  FrameId FrameOf(int64_t frame);

  const Tables& stacks_;
  const Tables& frames_;
  const Tables& funcs_;
  const Tables& sources_;
  const std::vector<std::string>& strings_;
  Profile& profile_;
  std::vector<Made> made_;  // by stack
  int64_t cut_frames_ = 0;
};

}  // namespace gprofx::importers::firefox
