// Analyses of several runs, side by side. Pure.
#pragma once

#include <vector>

#include "core/analyses/table.h"

namespace gprofx {

// The same analyses of each run. A1 and A15 have a row for each; the others say that they are of
// one run. One run stays as it is.
std::vector<Analysis> JoinRuns(std::vector<std::vector<Analysis>> runs);

}  // namespace gprofx
