// Parses Python literals: lists, tuples, strings and numbers. They occur in the files of model
// graphs. Pure; any thread.
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
  bool IsNumbers() const;  // true if it is a list that holds only numbers
  double Product() const;  // product of a list of numbers
};

// Limits how many values may still be parsed, including nested ones. The limit is needed because a
// value takes many times the memory of its text.
struct LiteralBudget {
  size_t left = 100'000;
  bool spent = false;  // true if a text had more values than were left
};

// Parses all of `text`. Returns nullopt if it is not a literal, is nested too deeply, or exceeds
// the budget.
std::optional<Literal> ParseLiteral(std::string_view text, LiteralBudget& budget);

}  // namespace gprofx::forecast
