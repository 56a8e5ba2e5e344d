// Processes the events of a time window and adds to a tally: what ran beside each execution, how
// long it took compared with its group, and the parts of each step.
//
// Method: sweep over the starts and ends on each lane in order of time. Three clocks run while
// copies, collectives or several kernels run. An execution had such work beside it for as long as
// that clock advanced between its start and its end. Events that began before the window count as
// concurrent work, but they are measured in the window in which they began. A window does not see
// the events of other windows: executions are not paired across its borders, and the idle gap
// before its first event is ignored. Windows are the same on every machine, and so are the results.
// Pure; one thread per object.
#pragma once

#include <span>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

struct Window {  // a range of start times on the common clock: [begin, end)
  int64_t begin = INT64_MIN, end = INT64_MAX;
};

// Busy times of lanes within a window, by lane; sorted, without overlaps.
using BusyTimes = std::map<uint32_t, std::vector<TimeRange>>;

// Adds the events of `window` to `tally`. Their groups and lanes must be those of the plan (group =
// PlanGroup::base) and their times on the common clock; any order. `busy` receives the busy times
// of the lanes with PlanLane::tells_idle, and may be null.
void SweepWindow(const Plan& plan, const Window& window, std::vector<Event>& events, Tally& tally,
                 BusyTimes* busy = nullptr);

}  // namespace gprofx::variability
