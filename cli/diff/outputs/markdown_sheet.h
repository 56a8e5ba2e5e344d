// Builds a Markdown text of a limited size. Lines that do not fit are left out, and the end of the
// text says so.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "cli/report/number.h"

namespace gprofx {

class MarkdownSheet {
 public:
  explicit MarkdownSheet(size_t most) : most_(most > kReserve ? most - kReserve : 0) {}

  void Add(const std::string& lines) {
    if (out_.size() + lines.size() <= most_ && left_out_ == 0) {
      out_ += lines;
    } else {
      ++left_out_;
    }
  }
  // Adds a line that opens an HTML tag. If the line fits, the tag is always closed later, even if
  // nothing in between fits.
  void Open(const std::string& line) {
    const size_t before = left_out_;
    Add(line);
    open_ = left_out_ == before;
  }
  void Close(const char* line) {
    if (open_) out_ += line;
    open_ = false;
  }
  std::string Finish() {
    if (left_out_ > 0) {
      out_ += "\nThis summary is shortened: it has no room for " +
              Grouped(static_cast<int64_t>(left_out_)) +
              " more lines. `gprof-x diff` and its JSON have them.\n";
    }
    return std::move(out_);
  }

 private:
  static constexpr size_t kReserve = 400;  // for closing tags and the sentence about omitted lines

  const size_t most_;
  std::string out_;
  size_t left_out_ = 0;
  bool open_ = false;
};

}  // namespace gprofx
