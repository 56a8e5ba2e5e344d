// The stall mix of a kernel or line in one table cell: folded classes as percent of its PC samples;
// or, where there is little room, the largest of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/views/gpu/gpu_rows.h"

namespace gprofx {

class StallCells {
 public:
  // `rows` are those that will be shown. `narrow` screens get two letters or digits for each class;
  // `all` adds the class "other".
  StallCells(std::span<const GpuRow> rows, bool narrow, bool all);

  std::string Title() const;                  // "mem shm syn cmp fro iss"
  std::string Cell(const GpuRow& row) const;  // " 62   3  10   5  12   8"; "" without samples
  std::vector<std::string> Legend() const;    // what the titles mean, in parts to be wrapped

 private:
  bool narrow_;
  size_t classes_;
  int width_;
  bool full_ = false;  // some number is 100
};

// "mem 62", "syn 100"; "" without samples.
std::string MainStallCell(const GpuRow& row);
std::vector<std::string> MainStallLegend(std::span<const GpuRow> rows);  // of the classes that come

}  // namespace gprofx
