// A sentence in lines of a screen. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/terminal/text.h"

namespace gprofx {

// Broken at blanks; lines after the first begin with `indent` of them. A word that is longer than a
// line stays.
inline std::string WrapWords(const std::string& text, int columns, int indent = 2) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return WrapParts(words.data(), words.size(), " ", columns, indent);
}

}  // namespace gprofx
