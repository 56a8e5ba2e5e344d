// Steps of one lane as series: the time of each step, and the amount of each possible cause in it.
// Used inside core/variability only.
#pragma once

#include <array>
#include <vector>

#include "core/variability/stages/build.h"

namespace gprofx::variability {

// One value per step; empty if unknown. All are ns that the cause may have added, except faults.
struct StepSeries {
  uint32_t lane = 0;
  uint32_t warm_up = 0;  // number of steps before the series
  std::vector<double> time;
  std::array<std::vector<double>, kParts + 1> parts;  // compute, communication, copies, idle
  std::array<std::vector<double>, kStepCauses> amount;
  std::array<std::vector<double>, kStepCauses> shown;  // for display: MHz; empty = same as amount
  std::vector<uint64_t> stretched;                     // as in StepTally
};

// Returns one series for each lane with at least kFewestSteps steps. The causes of a late rank are
// also added to the steps of the lanes that wait for it.
std::vector<StepSeries> SeriesOf(const Build& build);

inline constexpr size_t kFewestSteps = 16;

}  // namespace gprofx::variability
