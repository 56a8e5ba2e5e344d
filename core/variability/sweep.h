// Sweeps the sorted events of a time window into a tally: what ran beside what, how long each
// execution took compared with its group, and the parts of each step.
//
// One sweep over starts and ends on each lane, with clocks that run while copies, collectives or
// several kernels run: an execution had something beside it for as long as that clock advanced
// during it. Events that began before the window count as concurrent work, but are measured in the
// window in which they began. A window does not see events of other windows: pairs across its
// borders are not made, and the idle gap before its first event is ignored. Windows are the same on
// every machine, and so are the results. Pure; one thread per object.
#pragma once

#include <span>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

struct Window {  // of starts, on the common clock: [begin, end)
  int64_t begin = INT64_MIN, end = INT64_MAX;
};

// Busy times of lanes within a window: by lane, sorted, not overlapping.
using BusyTimes = std::map<uint32_t, std::vector<TimeRange>>;

// `events` have groups and lanes of the plan (PlanGroup::base), on the common clock, in any order.
// `busy` receives busy times of lanes that explain idle time; null = not needed.
void SweepWindow(const Plan& plan, const Window& window, std::vector<Event>& events, Tally& tally,
                 BusyTimes* busy = nullptr);

}  // namespace gprofx::variability
