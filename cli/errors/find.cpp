#include <cctype>

#include "cli/errors/catalogue.h"

namespace gprofx {
namespace {

// Removes the first line of `text` and returns it.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// True if the pattern `line` matches all of `text`. Each '*' matches as little as possible; on a
// mismatch the latest '*' is extended.
bool Fits(std::string_view line, std::string_view text) {
  size_t at = 0, in = 0;
  size_t star = std::string_view::npos, taken = 0;
  while (in < text.size()) {
    if (at < line.size() && line[at] == '*') {
      star = at++;
      taken = in;
    } else if (at < line.size() && line[at] == text[in]) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++taken;
    } else {
      return false;
    }
  }
  while (at < line.size() && line[at] == '*') ++at;
  return at == line.size();
}

size_t OwnLetters(std::string_view line) {
  size_t own = 0;
  for (const char c : line) own += c == '*' ? 0 : 1;
  return own;
}

}  // namespace

const ErrorClass* ClassOf(std::string_view what) {
  const ErrorClass* found = nullptr;
  size_t most = 0;
  for (const ErrorClass& one : ErrorCatalogue()) {
    for (std::string_view lines = one.lines; !lines.empty();) {
      const std::string_view line = TakeLine(lines);
      const size_t own = OwnLetters(line);
      if (own <= most || !Fits(line, what)) continue;
      most = own;
      found = &one;
    }
  }
  return found;
}

const ErrorClass* ClassWithId(std::string_view id) {
  std::string capitals(id);
  for (char& c : capitals) c = static_cast<char>(toupper(static_cast<unsigned char>(c)));
  for (const ErrorClass& one : ErrorCatalogue()) {
    if (capitals == one.id) return &one;
  }
  return nullptr;
}

std::string IdMark(const Error& error) {
  const ErrorClass* found = ClassOf(error.what);
  return found == nullptr ? "" : " [" + std::string(found->id) + "]";
}

std::string TextWithId(const Error& error) { return error.Text() + IdMark(error); }

std::string ErrorHelp(const ErrorClass& found) {
  std::string text = std::string(found.id) + ": " + found.cause + "\n" + found.way_out +
                     "\n\nThe lines that have this id:\n";
  for (std::string_view lines = found.lines; !lines.empty();) {
    text += "  ";
    for (const char c : TakeLine(lines)) text += c == '*' ? std::string("...") : std::string(1, c);
    text += '\n';
  }
  return text;
}

std::string AllErrorsHelp() {
  std::string text;
  for (const ErrorClass& one : ErrorCatalogue()) {
    text += std::string(one.id) + ": " + one.cause + "\n  " + one.way_out + "\n";
  }
  return text;
}

}  // namespace gprofx
