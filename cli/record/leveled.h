// record --levels M,ML,MLK,MLKI: records the same command with several sets of options, each
// several times, for the analysis "leveled_runs". Each set records more than the preceding one.
// Method: XSP (Li et al., IPDPS 2020): the cost of what a set adds is the difference to the
// preceding set. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/record/series.h"
#include "core/base/result.h"

namespace gprofx::record {

// Returns the sets in the order given, each once.
Result<std::vector<std::string>> ParseLevels(std::string_view text);

// Returns `repeat` runs of each set. Every other repetition has the sets in reverse order, so that
// drift over time, such as clock changes, affects all sets equally. Labels and files are named
// SET.1, SET.2, ...
std::vector<SeriesRun> RunsOf(const std::vector<std::string>& levels, size_t repeat,
                              const std::string& output);

}  // namespace gprofx::record
