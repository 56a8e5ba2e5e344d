// Recognizes the output of austin by its header "# austin: 3.7.0". Without the header, it is
// recognized by its stacks: every stack begins with a process and a thread,
// "P42;T0x7f01:0;/a/b.py:main:3 100". One thread.
#pragma once

#include <span>
#include <string_view>

#include "formats/importers/lines.h"

namespace gprofx::importers {

class AustinDetector {
 public:
  AustinDetector() : lines_([this](std::string_view line) { Take(line); }) {}

  // Call Add for each piece until decided() is true or the input ends. Then call Finish().
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish() { lines_.Finish(); }
  bool decided() const { return has_header_ || has_others_; }
  bool is_austin() const { return has_header_ || (has_stacks_ && !has_others_); }

 private:
  void Take(std::string_view line);

  bool has_header_ = false, has_stacks_ = false, has_others_ = false;
  Lines lines_;
};

}  // namespace gprofx::importers
