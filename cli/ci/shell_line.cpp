#include "cli/ci/shell_line.h"

#include <string_view>

namespace gprofx {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kOperators = ";&|<>";

// True if words that are appended to the line become arguments of its last command, as far as this
// function can tell.
bool TakesWords(std::string_view line) {
  char quote = 0, last = ';';  // last: last significant unquoted character
  bool in_word = false, comment = false, here = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (comment) {
      comment = c != '\n';
      continue;
    }
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (c == '#' && !in_word) {
      comment = true;
      continue;
    }
    if (c == '\\') {
      if (++i >= line.size()) return false;
      if (line[i] == '\n') continue;  // the command continues on the next line
    }
    here = here || (c == '<' && i > 0 && line[i - 1] == '<');
    in_word = kBlanks.find(c) == kBlanks.npos && kOperators.find(c) == kOperators.npos &&
              c != '(' && c != ')';
    if (c == '\'' || c == '"') quote = c;
    if (c == '\n') last = ';';
    if (kBlanks.find(c) == kBlanks.npos) last = c;
  }
  return !comment && !here && quote == 0 && kOperators.find(last) == kOperators.npos;
}

}  // namespace

std::optional<std::string> WithWords(std::string line) {
  if (line.find("$@") != std::string::npos) return line;
  // Strip trailing blanks: after a newline, the appended words would run as a separate command. If
  // the newline follows a backslash, the stripped line ends in that backslash, and TakesWords()
  // refuses it.
  const size_t end = line.find_last_not_of(kBlanks);
  const std::string trimmed = line.substr(0, end == std::string::npos ? 0 : end + 1);
  if (!TakesWords(trimmed)) return std::nullopt;
  return trimmed + " \"$@\"";
}

}  // namespace gprofx
