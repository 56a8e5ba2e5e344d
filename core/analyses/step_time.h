// How long a step of a run takes. Method: the mean without the longest and the shortest fifth, as
// XSP has it, with the interval of Yuen's standard error; the mean of all where steps are uneven.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

struct StepTime {
  double mean_ns = 0;
  double half_width_ns = 0;  // of the 95 % interval; 0: too few to say
  bool is_uneven = false;    // a few steps are much longer than most
};

// Of the steps that are shown, in order; empty where none were found.
std::vector<int64_t> StepLengths(const AnalysisContext& context);
StepTime StepTimeOf(const std::vector<int64_t>& lengths);

}  // namespace gprofx::analyses
