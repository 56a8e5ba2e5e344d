// Joins the analyses of several runs. Pure.
#pragma once

#include <vector>

#include "core/analyses/table.h"

namespace gprofx::analyses {

// A column of A1 for a sweep over sizes, whose runs are called NAME=NUMBER. It holds the throughput
// of a run: NUMBER times its steps per second.
inline constexpr char kItemsPerSecond[] = "items_per_s";

// Joins the same analyses of several runs. A1 and A15 get a row per run; the others say that they
// are of one run. A single run is returned unchanged. For a sweep over sizes A1 reports the knee:
// the smallest size whose items per second are close to the maximum.
std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs);

}  // namespace gprofx::analyses
