// Texts and numbers as formats want them. All append to `out`. Pure, any thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx::exporters {

// Length of the UTF-8 character at `at`, 0 where there is none: a stray byte, an overlong form, a
// surrogate.
size_t Utf8Length(std::string_view text, size_t at);

// A JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD.
void AppendJson(std::string& out, std::string_view text);

// For formats of lines: control characters, backslashes and the characters of `also` become \xNN,
// bytes that are no UTF-8 become U+FFFD.
void AppendLineText(std::string& out, std::string_view text, std::string_view also = "");
std::string LineText(std::string_view text, std::string_view also = "");

// UTF-8 as it is, other bytes as U+FFFD; NUL as U+FFFD, too.
void AppendUtf8(std::string& out, std::string_view text);

template <std::integral T>
void AppendNumber(std::string& out, T number) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
}

// `number` / 10^places as a decimal fraction, exactly, without zeros at its end: 1500000 with 6
// places is 1.5.
void AppendDecimal(std::string& out, int64_t number, int places);

// ns as ms and as us.
inline void AppendMs(std::string& out, int64_t ns) { AppendDecimal(out, ns, 6); }
inline void AppendUs(std::string& out, int64_t ns) { AppendDecimal(out, ns, 3); }

}  // namespace gprofx::exporters
