// Python literals as graphs hold them: lists, tuples, strings, numbers. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx::forecast {

struct Literal {
  enum class Kind { kNumber, kText, kList } kind = Kind::kList;
  double number = 0;
  std::string text;
  std::vector<Literal> items;

  bool IsList() const { return kind == Kind::kList; }
  bool IsNumbers() const;  // a list of numbers alone
  double Product() const;  // of a list of numbers
};

// How many values may still be read, of lists within lists too: each takes many times the memory of
// its text.
struct LiteralBudget {
  size_t left = 100'000;
  bool spent = false;  // a text had more
};

// Nothing where it is no literal, or one that is nested too deep or has more than the budget.
std::optional<Literal> ParseLiteral(std::string_view text, LiteralBudget& budget);

}  // namespace gprofx::forecast
