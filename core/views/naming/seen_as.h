// The line that a stack is seen as: the innermost line of the user's own Python code on it.
// Where all code is installed (pip, gunicorn), the innermost line of the package that is the main
// program: the outermost package on the stack. Else the innermost Python line. Of a stack without
// Python, the innermost function outside of system libraries. For a kernel of a replayed CUDA
// graph, whose path is the launch and then the capture, that is the line that captured it.
//
// A property that nodes hand down, see core/model/inherit.h. Linear; each file is judged once. One
// thread.
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
    FrameId user, main, any;  // Python lines: the user's, of the main program's package, any
    FrameId native;           // native code of no system library
    uint32_t package = 0;     // of the main program; 0 = none so far
    FrameId python() const { return user ? user : main ? main : any; }  // 0 = there is none
    // 0 = only system libraries on the way to the root.
    FrameId best() const { return python() ? python() : native; }
  };
  Lines operator()(Lines above, FrameId frame);

 private:
  static constexpr uint32_t kUserFile = UINT32_MAX;

  uint32_t SortOf(StringId file);

  const Profile& profile_;
  // File -> kUserFile, the number of its package, or 0: the standard library and frozen modules.
  std::unordered_map<uint32_t, uint32_t> sort_of_file_;
  std::unordered_map<std::string_view, uint32_t> packages_;
  std::vector<uint8_t> is_system_;  // by ModuleId::index()
};

// For each node of any tree of the profile.
template <class Nodes>
std::vector<SeenAs::Lines> SeenAsLines(const Profile& profile, const Nodes& nodes) {
  SeenAs seen(profile);
  return InheritDown<SeenAs::Lines>(
      nodes, [&](SeenAs::Lines above, FrameId frame) { return seen(above, frame); });
}

}  // namespace gprofx
