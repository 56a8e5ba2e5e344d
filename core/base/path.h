// Splits file names into directory and base name. Works on the text only and reads no file. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Returns the directory part of a path; "." if it has none.
inline std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Returns the part after the last slash. This is all of `path` if it has no slash, and "" for
// "folder/".
inline std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // without a slash, npos + 1 = 0
}

}  // namespace gprofx
