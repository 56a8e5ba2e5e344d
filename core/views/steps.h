// The steps of a recording in numbers, and what of it is shown. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

struct StepNumbers {  // of one train
  size_t count = 0;
  size_t warm_up = 0;
  // Of the steps behind the warm-up, ns: the one in the middle, and the least that 95 of 100 do not
  // exceed.
  int64_t median_ns = 0, p95_ns = 0;
  // What a step takes where the host runs ahead of the GPU and then waits for several steps at
  // once.
  int64_t mean_ns = 0;
  bool Uneven() const {
    return StepsAreUneven(static_cast<double>(mean_ns), static_cast<double>(median_ns));
  }
};

StepNumbers NumbersOf(const StepTrain& train);
// Of a train of the profile, whose times of the host may be corrected.
StepNumbers NumbersOf(const Profile& profile, const StepTrain& train);

// Of the train that the phases are made of; nothing where there are no steps.
std::optional<StepNumbers> StepsOf(const Profile& profile);

}  // namespace gprofx
