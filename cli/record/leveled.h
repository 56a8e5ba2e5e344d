// record --levels M,ML,MLK,MLKI: the same command with more and more of the recording switched on,
// each set several times, for the analysis "leveled_runs". Method: XSP (Li et al., IPDPS 2020):
// what a level costs is the difference to the set before it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/record/series.h"
#include "core/base/result.h"

namespace gprofx::record {

// Sets in the order given, each once.
Result<std::vector<std::string>> ParseLevels(std::string_view text);

// `repeat` times all sets, every other time backwards: what drifts over time, as a clock does,
// falls on all sets alike. Labels and files are named SET.1, SET.2, ...
std::vector<SeriesRun> RunsOf(const std::vector<std::string>& levels, size_t repeat,
                              const std::string& output);

}  // namespace gprofx::record
