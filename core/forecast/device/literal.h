// Parses Python literals of model graphs: lists, tuples, strings, numbers. Pure; any thread.
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
  bool IsNumbers() const;  // true for a list that holds only numbers
  double Product() const;  // of a list of numbers
};

// Number of values that may still be parsed, nested ones included. It is limited because a value
// takes many times the memory of its text.
struct LiteralBudget {
  size_t left = 100'000;
  bool spent = false;  // a text had more values
};

// Parses the whole of `text`. Returns nullopt if it is not a literal, is nested too deep or exceeds
// the budget.
std::optional<Literal> ParseLiteral(std::string_view text, LiteralBudget& budget);

}  // namespace gprofx::forecast
