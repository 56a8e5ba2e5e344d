// Processes the events of a time window and adds to a tally: what ran beside each execution, how
// long it took compared with its group, and the parts of each step.
//
// Method: a sweep over the starts and ends of the events on each lane, in order of time. It has
// three clocks: one runs while copies run, one while collectives run, and one while several kernels
// run. An execution had such work beside it for as long as the clock advanced between its start and
// its end. Events that began before the window count as concurrent work, but they are measured in
// the window in which they began. A window does not see the events of other windows: executions are
// not paired across its borders, and the idle gap before its first event is ignored. Windows are
// the same on every machine, and so are the results. Pure; one thread per object.
#pragma once

#include <span>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

struct Window {  // a range of start times on the common clock: [begin, end)
  int64_t begin = INT64_MIN, end = INT64_MAX;
};

// By lane: its busy times within a window, sorted and without overlaps.
using BusyTimes = std::map<uint32_t, std::vector<TimeRange>>;

// Adds the events of `window` to `tally`. Events may be in any order. Their groups and lanes must
// be those of the plan (group = PlanGroup::base) and their times on the common clock. `busy`
// receives the busy times of the lanes with PlanLane::tells_idle; it may be null.
void SweepWindow(const Plan& plan, const Window& window, std::vector<Event>& events, Tally& tally,
                 BusyTimes* busy = nullptr);

}  // namespace gprofx::variability
