// Finds the times in which GPU work was recorded. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

// Returns the times of one process in order. They do not overlap.
std::vector<TimeRange> TracedTimes(std::span<const LevelWindow> windows, ProcessId process);

}  // namespace gprofx
