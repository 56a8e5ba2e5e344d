// Writes bytes as lower-case hexadecimal digits, two per byte. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gprofx {

inline std::string ToHex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte value : bytes) {
    text += kDigits[std::to_integer<unsigned>(value) >> 4];
    text += kDigits[std::to_integer<unsigned>(value) & 15];
  }
  return text;
}

}  // namespace gprofx
