// Source files as a CI system knows them: relative to the top of the source tree.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/outputs/notices.h"

namespace gprofx {

struct OutputPlace {
  std::vector<std::string> roots;  // tops of the source tree, absolute
  // A file below the first root for what is about no source file; code scanning wants one.
  std::string fallback = "gprof-x";
  // Is there such a file? A relative name of a library that was built elsewhere is none of ours.
  std::function<bool(const std::string& path)> exists = [](const std::string&) { return true; };
};

// `file` as a path below a root, without "." and ".."; "" where it lies elsewhere or is no file,
// such as "<string>". Of names that are relative the file must be there.
std::string BelowRoots(std::string_view file, const OutputPlace& place);

// Where to show a notice.
struct SourcePlace {
  std::string path;      // below a root, or absolute; "" = nowhere
  uint32_t line = 0;     // 0 = unknown
  bool is_ours = false;  // it lies below a root
};
// The function's own file where that is ours, else the line of ours that causes its time.
SourcePlace PlaceOf(const Notice& notice, const OutputPlace& place);

// Of a path, for a URI: every byte but letters, digits and -._~/ as %XX.
std::string PercentEncoded(std::string_view path);

}  // namespace gprofx
