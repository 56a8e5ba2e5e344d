// Formats texts and numbers. Functions named Append... append to `out`. Pure, any thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx::exporters {

// Returns the length of the UTF-8 character at position `at`. Returns 0 at the end of the text and
// if there is no valid character, such as a stray byte, an overlong form or a surrogate.
size_t Utf8Length(std::string_view text, size_t at);

// Appends a JSON string, including its quotes. Invalid UTF-8 becomes U+FFFD.
void AppendJson(std::string& out, std::string_view text);

// Appends a text for formats in which each record is a line. Control characters, backslashes and
// the characters in `also` are written as \xNN; invalid UTF-8 becomes U+FFFD.
void AppendLineText(std::string& out, std::string_view text, std::string_view also = "");
std::string LineText(std::string_view text, std::string_view also = "");

// Appends valid UTF-8 unchanged. Other bytes, and NUL, become U+FFFD.
void AppendUtf8(std::string& out, std::string_view text);

template <std::integral T>
void AppendNumber(std::string& out, T number) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

// Appends `number` / 10^places as an exact decimal fraction without trailing zeros: 1500000 with 6
// places is 1.5.
void AppendDecimal(std::string& out, int64_t number, int places);

// Append a time in ns, converted to ms or us.
inline void AppendMs(std::string& out, int64_t ns) { AppendDecimal(out, ns, 6); }
inline void AppendUs(std::string& out, int64_t ns) { AppendDecimal(out, ns, 3); }

}  // namespace gprofx::exporters
