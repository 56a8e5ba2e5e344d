// Joins the analyses of several runs. Pure.
#pragma once

#include <vector>

#include "core/analyses/table.h"

namespace gprofx::analyses {

// A1's column for the throughput of a sweep over sizes: NUMBER of a run called NAME=NUMBER times
// its steps per second.
inline constexpr char kItemsPerSecond[] = "items_per_s";

// Joins the same analyses of several runs. A1 and A15 get a row per run; the others say that they
// are of one run. A single run is unchanged. For a sweep over sizes A1 reports the knee: the
// smallest size whose items per second are close to the maximum.
std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs);

}  // namespace gprofx::analyses
