// Names of files, taken apart as texts. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// What a file of this name lies in: "." where the name has no folder.
inline std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// What is behind the last slash: all of it where there is none, nothing of "folder/".
inline std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 = 0
}

}  // namespace gprofx
