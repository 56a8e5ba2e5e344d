// Wraps sentences to the width of the screen. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/terminal/text.h"

namespace gprofx {

// Breaks `text` at blanks into lines of at most `columns`. Lines after the first are indented. A
// word that is longer than a line is not broken.
inline std::string WrapWords(const std::string& text, int columns, int indent = 2) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return WrapParts(words.data(), words.size(), " ", columns, indent);
}

// Returns untrusted text in printable form, wrapped and with a newline at its end.
inline std::string WrapLine(const std::string& text, int columns, int indent) {
  return WrapWords(Printable(text), columns, indent) + "\n";
}

}  // namespace gprofx
