// The stall mix of a kernel or line in one table cell: classes of stalls as percent of its PC
// samples, or, if there is little space, only the largest class.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/views/gpu/gpu_rows.h"

namespace gprofx {

class StallCells {
 public:
  // `rows` are the rows to show. If `narrow`, each class gets two letters or digits. `all` adds the
  // class "other".
  StallCells(std::span<const GpuRow> rows, bool narrow, bool all);

  std::string Title() const;                  // "mem shm syn cmp fro iss"
  std::string Cell(const GpuRow& row) const;  // " 62   3  10   5  12   8"; "" without samples
  std::vector<std::string> Legend() const;    // explains the titles, in parts to wrap

 private:
  bool narrow_;
  size_t classes_;
  int width_;
  bool full_ = false;  // some number is 100
};

// "mem 62", "syn 100"; "" without samples.
std::string MainStallCell(const GpuRow& row);
std::vector<std::string> MainStallLegend(std::span<const GpuRow> rows);  // only classes that occur

}  // namespace gprofx
