// One field of comma-separated values (RFC 4180) that no spreadsheet takes for a formula. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Quotes the field if needed. Names come from untrusted programs and files: a field that begins
// like a formula gets a leading blank.
inline std::string CsvField(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool is_formula = !text.empty() && kFormula.find(text[0]) != std::string_view::npos;
  if (!is_formula && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = is_formula ? "\" " : "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

}  // namespace gprofx
