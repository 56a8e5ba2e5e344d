#include "formats/importers/collapsed/stack_line.h"

#include "core/base/text.h"

namespace gprofx::importers {
namespace {

bool IsValue(std::string_view text) {
  return !text.empty() && IsAsciiDigit(text.front()) && IsAsciiDigit(text.back()) &&
         text.find_first_not_of("0123456789.,-") == std::string_view::npos;
}

}  // namespace

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<StackLine> ParseStackLine(std::string_view text) {
  while (text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  const size_t blank = text.find_last_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  const StackLine line{text.substr(0, blank), text.substr(blank + 1)};
  // For samples without frames, py-spy writes a blank and the number: " 3".
  const bool is_without_frames = blank == 0 && text.front() == ' ';
  const bool is_stack = (is_without_frames || !Trimmed(line.stack).empty()) && IsValue(line.value);
  return is_stack ? std::optional(line) : std::nullopt;
}

bool IsStackComment(std::string_view text) {
  if (!text.starts_with('#')) return false;
  if (!ParseStackLine(text)) return true;
  return text.size() > 1 && IsBlank(text[1]) && !Contains(text, ";");
}

}  // namespace gprofx::importers
