// The times of many versions as series, and where they changed.
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
  std::vector<compare::Run> runs;  // at least one
};

struct HistorySeries {
  std::string name, kind;  // of a function; "" kind = the whole
  double share = 0;        // of the whole, in the version that has most of it
  std::vector<double> ns;  // per run or step, a mean for each version
  // Of the logarithms; p is corrected for all series that were looked at.
  std::vector<compare::ChangePoint> changes;
};

// Times are per step: all runs have steps, and of the same kind.
bool HistoryIsOfSteps(const std::vector<HistoryVersion>& versions);

// The whole first, then the `most` largest functions and kernels of any version that all versions
// have.
std::vector<HistorySeries> HistoryOf(const std::vector<HistoryVersion>& versions, size_t most);

}  // namespace gprofx
