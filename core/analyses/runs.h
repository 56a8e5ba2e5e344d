// Analyses of several runs, side by side. Pure.
#pragma once

#include <vector>

#include "core/analyses/table.h"

namespace gprofx::analyses {

// A1's column of what a sweep over sizes got done: NUMBER of a run called NAME=NUMBER times its
// steps in a second.
inline constexpr char kItemsPerSecond[] = "items_per_s";

// The same analyses of each run. A1 and A15 have a row for each; the others say that they are of
// one run. One run stays as it is. Of a sweep over sizes A1 tells the knee: the smallest whose
// items in a second are nearly the most.
std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs);

}  // namespace gprofx::analyses
