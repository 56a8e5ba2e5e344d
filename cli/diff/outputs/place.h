// Finds the names by which CI systems know source files: paths relative to the root of the source
// tree.
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
  // Path below the first root that stands for a missing source file. Code scanning requires a file
  // in every notice.
  std::string fallback = "gprof-x";
  // Returns whether the file at `path` exists. Used for relative names. If a library was built
  // elsewhere, its relative names are those of files outside of this source tree.
  std::function<bool(const std::string& path)> exists = [](const std::string&) { return true; };
};

// Returns `file` as a path below a root, without "." and "..". Returns "" if the file is not below
// a root, or if `file` is no file name, such as "<string>". A relative name must exist.
std::string BelowRoots(std::string_view file, const OutputPlace& place);

// Where a notice is shown.
struct SourcePlace {
  std::string path;      // below a root, or absolute; "" = nowhere
  uint32_t line = 0;     // 0 = unknown
  bool is_ours = false;  // true if the path is below a root
};
// Returns the place of the function if its file is below a root. Otherwise returns the line of the
// user's code that causes most of its time.
SourcePlace PlaceOf(const Notice& notice, const OutputPlace& place);

// Encodes a path for a URI: every byte except letters, digits and -._~/ becomes %XX.
std::string PercentEncoded(std::string_view path);

}  // namespace gprofx
