// Splits a stream of bytes that arrives in pieces into lines. One thread.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gprofx::importers {

class Lines {
 public:
  static constexpr size_t kLongest = size_t{1} << 20;

  // `take` is called with each line, without its line end. Lines longer than kLongest are cut to
  // that length.
  explicit Lines(std::function<void(std::string_view)> take) : take_(std::move(take)) {}

  void Add(std::span<const char> piece) {
    std::string_view rest(piece.data(), piece.size());
    for (size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
      Give(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    Keep(rest);
  }
  // Passes on the last line if it has no line end. Call it after the last piece.
  void Finish() {
    if (!begun_.empty()) Give({});
  }

 private:
  void Keep(std::string_view text) {
    begun_.append(text.substr(0, kLongest - std::min(begun_.size(), kLongest)));
  }
  void Give(std::string_view text) {
    if (begun_.empty()) {
      text = text.substr(0, kLongest);
    } else {
      Keep(text);
      text = begun_;
    }
    if (text.ends_with('\r')) text.remove_suffix(1);
    take_(text);
    begun_.clear();
  }

  std::function<void(std::string_view)> take_;
  std::string begun_;
};

}  // namespace gprofx::importers
