// Explains why a lane was idle, step by step: the idle parts of core/wall/wall_partition.h for each
// step.
//
// As in that file, waiting calls take precedence over full queues, and CPU samples explain idle
// time that no call covers. A sample represents the time before it; the part of that time in which
// the lane was idle counts. Therefore an idle gap also gets samples that were taken after its end,
// which is common because steps are short. Tallies are integers that add up over windows. Samples
// of several threads may exceed the idle time; step_parts.h scales them down once the whole step is
// known. Linear in busy times, waits and samples, except for sorting them. Pure.
#pragma once

#include <span>

#include "core/variability/sweep.h"

namespace gprofx::variability {

// `busy`: the lane's busy times in the window, on the common clock.
void SplitIdle(const Plan& plan, uint32_t lane, const Window& window,
               std::span<const TimeRange> busy, const HostActivity& host, Tally& tally);

}  // namespace gprofx::variability
