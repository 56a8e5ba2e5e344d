// Finds the line to which a stack is attributed: the innermost line of the user's own Python code
// in it.
//
// If the stack has no such line, because all its Python code is installed (pip, gunicorn), it is
// the innermost line of the main program's package, which is the outermost package in the stack.
// Otherwise it is the innermost Python line. For a stack without Python, it is the innermost
// function outside of system libraries. The path of a kernel of a replayed CUDA graph is the
// launch, then the capture; its line is the one that captured the graph.
//
// Nodes inherit the lines from their parent (core/model/inherit.h). Linear; each file is classified
// once. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/inherit.h"
#include "core/model/profile.h"

namespace gprofx {

class SeenAs {
 public:
  explicit SeenAs(const Profile& profile);

  struct Lines {
    FrameId user, main, any;  // innermost Python line of the user, of the main package, of any code
    FrameId native;           // innermost native code outside of system libraries
    uint32_t package = 0;     // of the main program; 0 = none yet
    FrameId python() const { return user ? user : main ? main : any; }  // 0 = none
    // Returns the line of the stack; 0 = it has only system libraries.
    FrameId best() const { return python() ? python() : native; }
  };
  Lines operator()(Lines above, FrameId frame);

 private:
  static constexpr uint32_t kUserFile = UINT32_MAX;

  uint32_t SortOf(StringId file);

  const Profile& profile_;
  // By file (StringId): kUserFile, the number of the file's package, or 0 for the standard library
  // and frozen modules.
  std::unordered_map<uint32_t, uint32_t> sort_of_file_;
  std::unordered_map<std::string_view, uint32_t> packages_;
  std::vector<uint8_t> is_system_;  // by ModuleId::index()
};

// Returns the lines of each node, by position. `nodes` may be those of any tree of the profile.
template <class Nodes>
std::vector<SeenAs::Lines> SeenAsLines(const Profile& profile, const Nodes& nodes) {
  SeenAs seen(profile);
  return InheritDown<SeenAs::Lines>(
      nodes, [&](SeenAs::Lines above, FrameId frame) { return seen(above, frame); });
}

}  // namespace gprofx
