// The step time of a run. Method: the mean without the longest fifth and the shortest fifth of the
// steps, as in XSP, with an interval from Yuen's standard error. If steps are uneven, it is the
// plain mean. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

struct StepTime {
  double mean_ns = 0;
  double half_width_ns = 0;  // of the 95 % interval; 0: too few steps
  bool is_uneven = false;    // a few steps are much longer than most
};

// Returns the lengths of the shown steps, in order; empty if none were found.
std::vector<int64_t> StepLengths(const AnalysisContext& context);
StepTime StepTimeOf(const std::vector<int64_t>& lengths);

}  // namespace gprofx::analyses
