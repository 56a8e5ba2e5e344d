// A table of Nsight Compute, `ncu --csv --page raw`: one row per profiled launch, metrics in
// columns, units in the row below the names. Skips output that a program printed before the table,
// and lines that begin with "==". Blocking; one thread.
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
  // Returns the index of a column, -1 = there is none.
  int Find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

  // Returns a cell of the current row; "" if the column is -1 or the row is shorter.
  std::string Text(int column) const;
  // Returns a number in ns, bytes or single operations, whatever the unit in the table. No value
  // for "n/a" and other text.
  std::optional<double> Number(int column) const;
  // Returns a non-negative integer; 0 for anything else.
  int64_t Whole(std::string_view name) const;
  // Parses "(128, 1, 1)" from the column.
  void Size(std::string_view name, uint32_t (&size)[3]) const;

 private:
  friend Status ReadComputeTable(const std::string& path,
                                 const std::function<Status(const ComputeTable&)>& begin,
                                 const std::function<void(const ComputeTable&)>& row);
  std::vector<std::string> names_, units_, fields_;
};

// Calls `begin` once the column names are known, then `row` for each row. Returns an error if the
// file has no such table.
Status ReadComputeTable(const std::string& path,
                        const std::function<Status(const ComputeTable&)>& begin,
                        const std::function<void(const ComputeTable&)>& row);

}  // namespace gprofx
