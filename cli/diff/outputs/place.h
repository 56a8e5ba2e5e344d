// Source files as a CI system names them: relative to the root of the source tree.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/outputs/notices.h"

namespace gprofx {

struct OutputPlace {
  std::vector<std::string> roots;  // roots of the source tree, absolute
  // File below the first root for notices about no source file; code scanning requires one.
  std::string fallback = "gprof-x";
  // Returns whether the file exists. Relative names are checked, because a library that was built
  // elsewhere has relative names of files outside of this source tree.
  std::function<bool(const std::string& path)> exists = [](const std::string&) { return true; };
};

// Returns `file` as a path below a root, without "." and "..". Returns "" if it is elsewhere or is
// not a file, such as "<string>". A relative name must exist.
std::string BelowRoots(std::string_view file, const OutputPlace& place);

// The place to show a notice at.
struct SourcePlace {
  std::string path;      // below a root, or absolute; "" = nowhere
  uint32_t line = 0;     // 0 = unknown
  bool is_ours = false;  // the path is below a root
};
// Returns the function's own file if it is below a root, else the user's line that causes its time.
SourcePlace PlaceOf(const Notice& notice, const OutputPlace& place);

// Encodes a path for a URI: every byte except letters, digits and -._~/ becomes %XX.
std::string PercentEncoded(std::string_view path);

}  // namespace gprofx
