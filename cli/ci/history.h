// Represents the times of many versions as series, and finds the versions at which they change.
// HistoryOf() is pure.
#pragma once

#include <string>
#include <vector>

#include "core/compare/run.h"
#include "core/compare/statistics/change_points.h"

namespace gprofx {

struct HistoryVersion {
  std::string name;                // commit, or the name of the version's folder or file
  std::vector<compare::Run> runs;  // empty only in a history of benchmarks
};

inline constexpr char kBenchmark[] = "benchmark";

struct HistorySeries {
  // Name and kind of a function. If `kind` is "", the series is of the whole program; if it is
  // kBenchmark, of a benchmark.
  std::string name, kind;
  // Fraction of the whole program's time, in the version where that is largest.
  double share = 0;
  // Mean time of each version, per run or step; NaN = not measured.
  std::vector<double> ns;
  // Versions at which log(ns) changes. The p-values are corrected for the number of series that
  // were tested.
  std::vector<compare::ChangePoint> changes;
};

// True if the times are per step. They are if all runs have steps of the same kind.
bool HistoryIsOfSteps(const std::vector<HistoryVersion>& versions);

// Returns the last measured version before the version of a change.
size_t MeasuredBefore(const HistorySeries& series, size_t at);

// Finds the changes in all series and stores them in HistorySeries::changes.
void FindChanges(std::vector<HistorySeries>& all);

// Returns the series of the whole program, followed by those of the `most` functions and kernels
// with the largest share in any version. Includes only functions and kernels that all versions
// have.
std::vector<HistorySeries> HistoryOf(const std::vector<HistoryVersion>& versions, size_t most);

}  // namespace gprofx
