// Parses lines of collapsed stacks: "main;work 12". Pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gprofx::importers {

struct StackLine {
  std::string_view stack;
  std::string_view value;  // "12", "12.5", and "120,0,4096" of austin --full
};

// Splits a line into its stack and its value. No value if one of them is missing.
std::optional<StackLine> ParseStackLine(std::string_view text);

// True for a comment like "# mode: wall". A '#' at the begin is not enough, because it may be in
// the first frame of a stack.
bool IsStackComment(std::string_view text);

bool IsDigits(std::string_view text);

template <class Number>
std::optional<Number> NumberOf(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

}  // namespace gprofx::importers
