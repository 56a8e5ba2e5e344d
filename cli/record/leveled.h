// record --levels M,ML,MLK,MLKI: records the same command several times with each of several sets
// of options, for the analysis "leveled_runs". Each set records more than the preceding one. The
// difference between two sets is the cost of what the second adds. Method: XSP (Li et al., IPDPS
// 2020). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/record/series.h"
#include "core/base/result.h"

namespace gprofx::record {

// Returns the names of the sets in `text`, in the order given. A name that is given twice occurs
// once.
Result<std::vector<std::string>> ParseLevels(std::string_view text);

// Returns the runs: each set is run `repeat` times. Every second repetition has the sets in reverse
// order. A drift over time, such as a clock change, then affects all sets equally. Labels and files
// are named SET.1, SET.2, ...
std::vector<SeriesRun> RunsOf(const std::vector<std::string>& levels, size_t repeat,
                              const std::string& output);

}  // namespace gprofx::record
