// Describes the steps of one lane as series of numbers: the time of each step, and how much each
// possible cause may have added to it. Used inside core/variability only.
#pragma once

#include <array>
#include <vector>

#include "core/variability/stages/build.h"

namespace gprofx::variability {

// Each vector has one value per step, or is empty if the values are unknown. Amounts are the ns
// that a cause may have added; only the amount of StepCause::kFaults is a number of page faults.
struct StepSeries {
  uint32_t lane = 0;
  uint32_t warm_up = 0;  // number of steps before the series
  std::vector<double> time;
  std::array<std::vector<double>, kParts + 1> parts;  // compute, communication, copies, idle
  std::array<std::vector<double>, kStepCauses> amount;
  // Values to display in place of `amount`, such as MHz; empty = display `amount`.
  std::array<std::vector<double>, kStepCauses> shown;
  // For each step, the groups that took longer: StepTally::stretched.
  std::vector<uint64_t> stretched;
};

// Returns one series for each lane with at least kFewestSteps steps. If a late rank makes others
// wait, the causes of its lateness are also added to the steps of the waiting lanes.
std::vector<StepSeries> SeriesOf(const Build& build);

inline constexpr size_t kFewestSteps = 16;

}  // namespace gprofx::variability
