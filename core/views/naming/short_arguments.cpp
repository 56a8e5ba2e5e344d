#include "core/views/naming/short_arguments.h"

#include <algorithm>
#include <vector>

#include "core/base/path.h"

namespace gprofx {
namespace {

constexpr size_t kMaxWords = 200;

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty() && words.size() < kMaxWords) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool IsOption(std::string_view word) { return word.starts_with('-'); }

// True for words that look like a file name, such as "f1.cpp" and "data/x.json". False for "3.11"
// and "x86_64-linux-gnu".
bool LooksLikeFile(std::string_view word) {
  const std::string_view base = BaseName(word);
  const size_t dot = base.rfind('.');
  if (IsOption(word) || dot == std::string_view::npos || dot == 0 || dot + 1 == base.size())
    return false;
  return std::all_of(base.begin() + static_cast<std::ptrdiff_t>(dot) + 1, base.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

std::string ShortArguments(std::string_view name, std::string_view command) {
  std::vector<std::string_view> words = WordsOf(command);
  const auto own = std::find_if(words.begin(), words.end(),
                                [&](std::string_view word) { return BaseName(word) == name; });
  if (own != words.end()) {
    words.erase(words.begin(), own + 1);
  } else if (!words.empty()) {
    words.erase(words.begin());
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_output = i > 0 && words[i - 1] == "-o";
    if (!is_output && LooksLikeFile(words[i])) return std::string(BaseName(words[i]));
  }
  if (words.empty() || IsOption(words[0])) return "";
  return std::string(words[0]);
}

}  // namespace gprofx
