// Explains why a lane was idle, step by step: the idle parts of core/wall/wall_partition.h for each
// step.
//
// As there, waiting calls take precedence over full queues, and CPU samples explain what no call
// covers. A sample counts with the idle part of the time before it. Steps are shorter than the
// windows of a whole recording, so a gap may end before its samples are taken, and still gets them.
// Tallies are integers that add up over windows. Samples of several threads may exceed the idle
// time; that is resolved once the whole step is known (step_parts.h). Linear in busy times, waits
// and samples, except for sorting them. Pure.
#pragma once

#include <span>

#include "core/variability/sweep.h"

namespace gprofx::variability {

// `busy`: the lane's busy times in the window, on the common clock.
void SplitIdle(const Plan& plan, uint32_t lane, const Window& window,
               std::span<const TimeRange> busy, const HostActivity& host, Tally& tally);

}  // namespace gprofx::variability
