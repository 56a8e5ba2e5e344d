// Joins the analyses of several runs into one set of tables. Pure.
#pragma once

#include <vector>

#include "core/analyses/table.h"

namespace gprofx::analyses {

// Id of a column of A1 that holds the throughput of a run: NUMBER times its steps per second. It
// exists if the runs are a sweep over sizes, with labels of the form NAME=NUMBER.
inline constexpr char kItemsPerSecond[] = "items_per_s";

// Joins the same analyses of several runs. A1 and A15 get one row per run. Each other analysis gets
// a reason that says it covers a single run. A single run is returned unchanged. For a sweep over
// sizes, A1 names the knee: the smallest size whose items per second are close to the maximum.
std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs);

}  // namespace gprofx::analyses
