// Computes statistics of the steps of a recording. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

struct StepNumbers {  // numbers of one train of steps
  size_t count = 0;
  size_t warm_up = 0;
  // Median and 95th percentile of the lengths of the steps after the warm-up, ns.
  int64_t median_ns = 0, p95_ns = 0;
  // Mean length of these steps, ns. If Uneven() is true, it is a better step time than the median,
  // for example because the host runs ahead of the GPU and then waits for several steps at once.
  int64_t mean_ns = 0;
  bool Uneven() const {
    return StepsAreUneven(static_cast<double>(mean_ns), static_cast<double>(median_ns));
  }
};

StepNumbers NumbersOf(const StepTrain& train);
// Returns the numbers of a train of `profile`. If the profile is corrected, so are the times.
StepNumbers NumbersOf(const Profile& profile, const StepTrain& train);

// Returns the numbers of the train that defines the phases; no value if there are no steps.
std::optional<StepNumbers> StepsOf(const Profile& profile);

}  // namespace gprofx
