// Splits a line of `perf script` into words and measures the widths of their columns. perf
// right-aligns numbers in columns of fixed width. The width distinguishes fields that look alike.
// Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace gprofx::importers {

inline constexpr char kPerfBlanks[] = " \t";

struct PerfWord {
  std::string_view text;
  size_t width = 0;  // length of the text and of the blanks before it
};

// Removes and returns the first word of `text`, together with the blanks before it. Empty at the
// end.
inline PerfWord TakeFirstWord(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(kPerfBlanks), text.size());
  const size_t end = std::min(text.find_first_of(kPerfBlanks, begin), text.size());
  const PerfWord word{text.substr(begin, end - begin), end};
  text.remove_prefix(end);
  return word;
}

// Removes and returns the last word of `text`, together with the blanks around it.
inline PerfWord TakeLastWord(std::string_view& text) {
  const size_t last = text.find_last_not_of(kPerfBlanks);
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const size_t blank = text.find_last_of(kPerfBlanks);
  const size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const size_t before = text.find_last_not_of(kPerfBlanks, blank);
  const size_t end = begin == 0 || before == std::string_view::npos ? 0 : before + 1;
  const PerfWord word{text.substr(begin), text.size() - end};
  text = text.substr(0, end);
  return word;
}

inline bool IsHexNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

inline bool ReadInteger(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace gprofx::importers
