// Formats a table that fits the screen. A fixed column gets the width that it needs. Flexible
// columns share the remaining width by weight, and their cells are shortened. Widths are counted in
// screen columns, so wide characters stay aligned. Cells must be Printable() text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/screen.h"

namespace gprofx {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  // The column's share of the space that flexible columns get; 0 = the column is fixed.
  int weight = 0;
  std::string (*shorten)(std::string_view text, int columns) = nullptr;  // nullptr means FitEnd
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void Add(std::vector<std::string> cells);  // adds a row, with one cell per column
  size_t rows() const { return rows_.size(); }
  // Returns the text of the table. If `wide` is set, nothing is shortened and lines may be longer
  // than the screen.
  std::string Render(const Screen& screen, bool wide) const;

 private:
  int Least(size_t column) const;  // returns the minimum width of a flexible column
  std::vector<int> Widths(int screen_columns, bool wide) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gprofx
