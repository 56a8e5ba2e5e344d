// Why a lane was idle, step by step: the idle parts of core/wall/wall_partition.h for each step.
//
// As there, waiting calls count before full queues, and what no call covers belongs to the CPU
// samples. A sample stands for the time before it and counts with what of that was idle: steps are
// shorter than the windows of a whole recording, and so a gap has its samples though it ends before
// they are taken. What is tallied are integers that add up over windows; samples of several threads
// may be more than the idle time, which is settled when the step is known as a whole
// (step_parts.h). Linear in busy times, waits and samples but for their sorting. Pure.
#pragma once

#include <span>

#include "core/variability/sweep.h"

namespace gprofx::variability {

// `busy`: of the lane in the window, on the common clock.
void SplitIdle(const Plan& plan, uint32_t lane, const Window& window,
               std::span<const TimeRange> busy, const HostActivity& host, Tally& tally);

}  // namespace gprofx::variability
