// Finds out why a lane was idle in each step. The causes are the idle parts of
// core/wall/wall_partition.h.
//
// As in that file, waiting calls take precedence over full queues, and CPU samples explain idle
// time that no call covers. A sample represents the time before it was taken. It explains as much
// of that time as the lane was idle, even if the sample was taken after the gap; this is common
// because steps are short. Tallies are integers that add up over windows. Samples of several
// threads may exceed the idle time; step_parts.h scales them down once the whole step is known.
// Pure. Cost: linear in busy times, waits and samples, except for sorting them.
#pragma once

#include <span>

#include "core/variability/sweep.h"

namespace gprofx::variability {

// Adds the causes of the idle time of `lane` in `window` to `tally`. `busy` holds the lane's busy
// times in the window, on the common clock.
void SplitIdle(const Plan& plan, uint32_t lane, const Window& window,
               std::span<const TimeRange> busy, const HostActivity& host, Tally& tally);

}  // namespace gprofx::variability
