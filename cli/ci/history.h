// Times of many versions as series, and the versions at which they change.
//
// HistoryOf is pure.
#pragma once

#include <string>
#include <vector>

#include "core/compare/run.h"
#include "core/compare/statistics/change_points.h"

namespace gprofx {

struct HistoryVersion {
  std::string name;                // commit, or the name of its folder or file
  std::vector<compare::Run> runs;  // at least one, except in a history of benchmarks
};

struct HistorySeries {
  // Of a function; the kind "" is the whole program, "benchmark" a benchmark.
  std::string name, kind;
  double share = 0;        // share of the whole, in the version where it is largest
  std::vector<double> ns;  // mean of each version, per run or step
  // Change points in the logarithms of `ns`. Their p-values are corrected for the number of series
  // that were tested.
  std::vector<compare::ChangePoint> changes;
};

// True if times are per step: all runs have steps, and of the same kind.
bool HistoryIsOfSteps(const std::vector<HistoryVersion>& versions);

// Searches all series for changes.
void FindChanges(std::vector<HistorySeries>& all);

// Returns the whole program first, then the `most` functions and kernels with the largest shares in
// any version. Only includes functions and kernels that all versions have.
std::vector<HistorySeries> HistoryOf(const std::vector<HistoryVersion>& versions, size_t most);

}  // namespace gprofx
