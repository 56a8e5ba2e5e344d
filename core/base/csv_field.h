// Writes a field of comma-separated values (RFC 4180) that no spreadsheet interprets as a formula.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Returns `text` as a CSV field, in quotes if it needs them. Names come from untrusted programs and
// files, and a spreadsheet would run a field that begins like a formula. Such a field gets a
// leading blank.
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
