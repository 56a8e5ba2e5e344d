// Regular expressions of the command line (POSIX extended, regcomp(3)) with bounds. Names are cut
// at 4096 bytes. Expressions that could take exponential time or memory are refused, so a bad
// expression gives an error and never a hang.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx {

class Pattern {
 public:
  // `option` is the option's name for the error.
  static Result<Pattern> Compile(std::string_view option, const std::string& expression);
  bool Matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<Compiled> compiled_;
};

}  // namespace gprofx
