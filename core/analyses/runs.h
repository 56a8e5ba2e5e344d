// Joins the analyses of several runs into one set of tables. Pure.
#pragma once

#include <vector>

#include "core/analyses/table.h"

namespace gprofx::analyses {

// Id of the column of A1 that holds the throughput of a run. It exists if the runs are a sweep over
// sizes, that is, have labels of the form NAME=NUMBER. The throughput is NUMBER times the steps per
// second.
inline constexpr char kItemsPerSecond[] = "items_per_s";

// Joins the same analyses of several runs. A1 and A15 get one row per run. The other analyses cover
// a single run; they become empty tables with this reason. A single run is returned unchanged. For
// a sweep over sizes, A1 names the knee: the smallest size whose items per second are close to the
// maximum.
std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs);

}  // namespace gprofx::analyses
