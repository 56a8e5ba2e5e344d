// Compares why the GPUs of a run's ranks idle: each cause of idle time over all lanes (a process on
// a GPU), with the lane that deviates most.
//
// Shares are relative to a lane's time with GPU records, because lanes differ in length and time
// without records is unknown. A lane's deviation is its distance from the median over the lanes, so
// an outlier is named whether it idles more or less than the others. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/views/wall.h"

namespace gprofx {

struct IdleCauseRow {
  std::string what;         // as in WallShares::idle_parts; unescaped
  std::vector<int> tenths;  // of a percent of each lane, in lane order
  int least = 0, most = 0;
  double median = 0;
  std::optional<size_t> most_off;  // the first lane with the maximum deviation; unset: all equal
};

// Sorted by range, largest first. Empty for fewer than two lanes, as there is nothing to compare.
std::vector<IdleCauseRow> CompareIdleCauses(const std::vector<LaneShares>& lanes);

}  // namespace gprofx
