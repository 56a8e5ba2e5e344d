// Small functions that search, join, trim and lower-case texts. Pure.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace gprofx {

inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool IsOneOf(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}
inline bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return IsOneOf(text, std::span(words.begin(), words.size()));
}

inline bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

inline std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Returns the texts joined by `gap`. Empty texts at the beginning get no gap after them.
template <class Texts>
std::string JoinedBy(const Texts& texts, std::string_view gap) {
  std::string all;
  for (const auto& text : texts) {
    if (!all.empty()) all += gap;
    all += text;
  }
  return all;
}

// True for a space, a tab or a carriage return.
inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Returns `text` without the blanks at its beginning and end.
inline std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace gprofx
