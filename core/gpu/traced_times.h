// Finds the times in which GPU work of a process was recorded. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

// Returns the times in which GPU work of `process` was recorded, in order and without overlap.
std::vector<TimeRange> TracedTimes(std::span<const LevelWindow> windows, ProcessId process);

}  // namespace gprofx
