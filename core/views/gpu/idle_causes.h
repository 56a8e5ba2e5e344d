// Why the GPUs of a run's ranks idle, side by side: each cause of idle time over all processes on
// all GPUs, with the one that is most off.
//
// Shares are of a lane's time with GPU records, because lanes are of different lengths and what
// happened without records nobody knows. Off is the distance from the median over the lanes, so one
// rank that is unlike the others is named, whether it idles more or less. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/views/wall.h"

namespace gprofx {

struct IdleCauseRow {
  std::string what;         // as in WallShares::idle_parts; unescaped
  std::vector<int> tenths;  // of a percent of each lane, in their order
  int least = 0, most = 0;
  double median = 0;
  std::optional<size_t> most_off;  // lane; of equal ones the first; nothing: all have the same
};

// The cause with the largest range first. Empty for fewer than two lanes: nothing to compare.
std::vector<IdleCauseRow> CompareIdleCauses(const std::vector<LaneShares>& lanes);

}  // namespace gprofx
