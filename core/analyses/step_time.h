// Computes the step time of a run, as XSP does: the mean without the longest fifth and the shortest
// fifth of the steps. Its confidence interval follows from Yuen's standard error. If steps are
// uneven, the step time is the mean of all steps. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

struct StepTime {
  double mean_ns = 0;
  double half_width_ns = 0;  // half of the 95 % confidence interval; 0 = too few steps
  bool is_uneven = false;    // a few steps are much longer than most
};

// Returns the lengths (ns) of the steps in the shown range, in order; empty if none were found.
std::vector<int64_t> StepLengths(const AnalysisContext& context);
StepTime StepTimeOf(const std::vector<int64_t>& lengths);

}  // namespace gprofx::analyses
