// Reads a table that Nsight Compute prints with `ncu --csv --page raw`. It has one row per profiled
// launch and one column per metric. The row below the column names holds the units. Output that a
// program printed before the table is skipped, and so are lines that begin with "==". Blocking; one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

class ComputeTable {
 public:
  // Returns the index of the column `name`, or -1 if there is none.
  int Find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

  // Returns the text of a cell in the current row. "" if `column` is -1 or the row is shorter.
  std::string Text(int column) const;
  // Returns the number in a cell of the current row, converted to ns, bytes or single operations.
  // No value if the cell does not hold a number ("n/a").
  std::optional<double> Number(int column) const;
  // Returns the number in the column `name` of the current row, rounded down. 0 if it is negative
  // or not a number.
  int64_t Whole(std::string_view name) const;
  // Parses a size like "(128, 1, 1)" in the column `name` of the current row into `size`. Elements
  // for which the text has no number stay unchanged.
  void Size(std::string_view name, uint32_t (&size)[3]) const;

 private:
  friend Status ReadComputeTable(const std::string& path,
                                 const std::function<Status(const ComputeTable&)>& begin,
                                 const std::function<void(const ComputeTable&)>& row);
  std::vector<std::string> names_, units_, fields_;
};

// Calls `begin` once the column names are known, then `row` for each row. Returns the error of
// `begin`, or an error if the file has no such table.
Status ReadComputeTable(const std::string& path,
                        const std::function<Status(const ComputeTable&)>& begin,
                        const std::function<void(const ComputeTable&)>& row);

}  // namespace gprofx
