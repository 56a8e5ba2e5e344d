// Steps of one lane in numbers: how long each took, and how much of everything that may have made
// it longer was in it. Used inside core/variability only.
#pragma once

#include <array>
#include <vector>

#include "core/variability/stages/build.h"

namespace gprofx::variability {

// Numbers of each step, empty where they are not known. All are ns that the cause may have added,
// but faults.
struct StepSeries {
  uint32_t lane = 0;
  uint32_t warm_up = 0;  // the series begins behind them
  std::vector<double> time;
  std::array<std::vector<double>, kParts + 1> parts;  // compute, communication, copies, idle
  std::array<std::vector<double>, kStepCauses> amount;
  std::array<std::vector<double>, kStepCauses> shown;  // what people read: MHz; empty = the amount
  std::vector<uint64_t> stretched;                     // StepTally
};

// Of lanes with enough steps. What makes a rank late is in the steps of all that wait for it.
std::vector<StepSeries> SeriesOf(const Build& build);

inline constexpr size_t kFewestSteps = 16;

}  // namespace gprofx::variability
