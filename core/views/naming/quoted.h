// Quotes a name that the user typed, for use in an error. A name that is too long for a line is
// truncated. The printer of the error escapes it.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

inline std::string Quoted(std::string_view name) {
  constexpr size_t kMax = 60;  // characters
  size_t characters = 0, cut = name.size();
  for (size_t i = 0; i < name.size(); ++i) {
    if ((static_cast<unsigned char>(name[i]) & 0xC0) == 0x80) continue;  // UTF-8 continuation byte
    if (characters == kMax - 2) cut = i;
    if (++characters > kMax) return "'" + std::string(name.substr(0, cut)) + "..'";
  }
  return "'" + std::string(name) + "'";
}

}  // namespace gprofx
