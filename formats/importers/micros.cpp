#include "formats/importers/micros.h"
#include "core/base/text.h"

namespace gprofx::importers {

// The text may have an exponent, which moves the decimal point: "4.5e+3" is 4500 us.
std::optional<int64_t> NanosecondsOf(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int exponent = 3;
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    const bool down = digits.starts_with('-');
    if (down || digits.starts_with('+')) digits.remove_prefix(1);
    if (digits.empty() || digits.size() > 3) return std::nullopt;
    int power = 0;
    for (const char c : digits) {
      if (!IsAsciiDigit(c)) return std::nullopt;
      power = power * 10 + (c - '0');
    }
    exponent += down ? -power : power;
    text = text.substr(0, e);
  }
  size_t point = text.find('.');
  const size_t whole = point == std::string_view::npos ? text.size() : point;
  if (whole == 0) return std::nullopt;
  // Digit i has the value 10^(whole - 1 - i + exponent) ns.
  int64_t ns = 0;
  int place = static_cast<int>(whole) - 1 + exponent;
  bool round_up = false;
  for (const char c : text) {
    if (c == '.') {
      if (point == std::string_view::npos) return std::nullopt;
      point = std::string_view::npos;
      continue;
    }
    if (!IsAsciiDigit(c)) return std::nullopt;
    if (place >= 0) {
      if (__builtin_mul_overflow(ns, 10, &ns) || __builtin_add_overflow(ns, c - '0', &ns)) {
        return std::nullopt;
      }
    } else if (place == -1) {
      round_up = c >= '5';
    }
    --place;
  }
  for (; place >= 0; --place) {
    if (ns == 0) break;
    if (__builtin_mul_overflow(ns, 10, &ns)) return std::nullopt;
  }
  if (round_up && __builtin_add_overflow(ns, 1, &ns)) return std::nullopt;
  return negative ? -ns : ns;
}

}  // namespace gprofx::importers
