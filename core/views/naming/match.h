// Matches names with the regular expressions of the command line: POSIX extended, regcomp(3). Names
// are cut at 4096 bytes. Expressions that could need exponential time or memory are refused: they
// give an error instead of a hang.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace gprofx {

class Pattern {
 public:
  // Compiles `expression`. `option` is the name of the option that contains it, for the error.
  static Result<Pattern> Compile(std::string_view option, const std::string& expression);
  bool Matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<Compiled> compiled_;
};

}  // namespace gprofx
