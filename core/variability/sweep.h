// The events of a window of time, in order, to a tally: what ran beside what, how long each took
// against its group, what each step was made of.
//
// One sweep over the begins and ends on each lane, with clocks that run while copies, collectives
// or several kernels do: an execution had something beside it for as long as that clock went on
// between its begin and its end. Events that began before the window take part as far as they reach
// into it and are counted by the window that they began in. What a window does not see of others (a
// pair, the gap before its first event) is left out; windows are the same on every machine, so
// results are. Pure; one thread per object.
#pragma once

#include <span>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

struct Window {  // of starts, on the common clock: [begin, end)
  int64_t begin = INT64_MIN, end = INT64_MAX;
};

// When lanes were busy within a window: by lane, in order, without overlap.
using BusyTimes = std::map<uint32_t, std::vector<TimeRange>>;

// Events with groups and lanes of the plan (PlanGroup::base), on the common clock, in any order.
// `busy`: of lanes that tell why they idle; null = nobody asks.
void SweepWindow(const Plan& plan, const Window& window, std::vector<Event>& events, Tally& tally,
                 BusyTimes* busy = nullptr);

}  // namespace gprofx::variability
