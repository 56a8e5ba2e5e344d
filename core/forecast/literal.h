// Python literals as graphs hold them: lists, tuples, strings, numbers. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

struct Literal {
  enum class Kind { kNumber, kText, kList } kind = Kind::kList;
  double number = 0;
  std::string text;
  std::vector<Literal> items;

  bool IsList() const { return kind == Kind::kList; }
  bool IsNumbers() const;  // a list of numbers alone
  double Product() const;  // of a list of numbers
};

// Nothing where it is no literal, or one that is nested too deep.
std::optional<Literal> ParseLiteral(std::string_view text);

}  // namespace gprofx
