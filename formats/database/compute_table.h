// A table of Nsight Compute, `ncu --csv --page raw`: a row for each launch that was profiled,
// metrics in columns, units in the row below the names. What a program printed before it is passed
// over, as are lines that begin with "==". Blocking; one thread.
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
  // Position of a column, -1 = there is none.
  int Find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

  // Of the row that is read; "" where the column is -1 or the row is shorter.
  std::string Text(int column) const;
  // In ns, bytes and single operations, whatever unit the table has; nothing for "n/a" and what
  // no number is.
  std::optional<double> Number(int column) const;
  // A whole number that is not negative, 0 for others.
  int64_t Whole(std::string_view name) const;
  // "(128, 1, 1)" in the column.
  void Size(std::string_view name, uint32_t (&size)[3]) const;

 private:
  friend Status ReadComputeTable(const std::string& path,
                                 const std::function<Status(const ComputeTable&)>& begin,
                                 const std::function<void(const ComputeTable&)>& row);
  std::vector<std::string> names_, units_, fields_;
};

// Calls `begin` when the names of the columns are known, then `row` for each row. An error where
// the file has no such table.
Status ReadComputeTable(const std::string& path,
                        const std::function<Status(const ComputeTable&)>& begin,
                        const std::function<void(const ComputeTable&)>& row);

}  // namespace gprofx
