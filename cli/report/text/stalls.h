// Formats the stalls of a kernel or a line for one cell of a table: the share of each stall class
// in its PC samples. If there is little space, only the largest class.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/views/gpu/gpu_rows.h"

namespace gprofx {

class StallCells {
 public:
  // `rows` are the rows that the table shows. If `narrow` is set, each class has two letters or
  // digits. If `all` is set, there is also the class "other".
  StallCells(std::span<const GpuRow> rows, bool narrow, bool all);

  std::string Title() const;                  // "mem shm syn cmp fro iss"
  std::string Cell(const GpuRow& row) const;  // " 62   3  10   5  12   8"; "" without samples
  // Returns an explanation of the titles, as parts of a paragraph to wrap.
  std::vector<std::string> Legend() const;

 private:
  bool narrow_;
  size_t classes_;
  int width_;
  bool full_ = false;  // true if some share is 100
};

// Returns the largest class and its share, such as "mem 62" or "syn 100". Returns "" if there are
// no samples.
std::string MainStallCell(const GpuRow& row);
// Returns an explanation of those classes that occur in `rows`.
std::vector<std::string> MainStallLegend(std::span<const GpuRow> rows);

}  // namespace gprofx
