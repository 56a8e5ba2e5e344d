// Compares why the GPUs of a run's ranks are idle. A lane is a process on a GPU. For each cause of
// idle time, this shows how the lanes differ and which lane deviates most.
//
// Shares are relative to the time of a lane with GPU records: lanes differ in length, and time
// without records is unknown. The deviation of a lane is its distance from the median of the lanes.
// The lane that deviates most may therefore idle more or less than the others. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/views/wall.h"

namespace gprofx {

struct IdleCauseRow {
  std::string what;         // as in WallShares::idle_parts; unescaped
  std::vector<int> tenths;  // by lane: tenths of a percent of the lane's time
  int least = 0, most = 0;
  double median = 0;
  // Index of the first lane with the maximum deviation; unset if all are equal.
  std::optional<size_t> most_off;
};

// Returns a row for each cause, sorted by the range between the lanes, largest first. Empty for
// fewer than two lanes.
std::vector<IdleCauseRow> CompareIdleCauses(const std::vector<LaneShares>& lanes);

}  // namespace gprofx
