// Names of files, taken apart as texts. Pure.
#pragma once

#include <string>

namespace gprofx {

// What a file of this name lies in: "." where the name has no folder.
inline std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace gprofx
