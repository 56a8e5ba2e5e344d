// The steps of a recording in numbers, and what of it is shown. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/phases.h"
#include "core/profile.h"

namespace gprofx {

struct StepNumbers {  // of one train
  size_t count = 0;
  size_t warm_up = 0;
  // Of the steps behind the warm-up, ns: the one in the middle, and the least that 95 of 100 do not
  // exceed.
  int64_t median_ns = 0, p95_ns = 0;
  // From the begin of the first of them to the end of the last, by their number: what a step takes
  // where the host runs ahead of the GPU and then waits for several steps at once.
  int64_t mean_ns = 0;
  // The mean says more than the median: some steps take much longer than most.
  bool Uneven() const { return mean_ns > median_ns + median_ns / 4; }
};

StepNumbers NumbersOf(const StepTrain& train);
// Of a train of the profile, whose times of the host may be corrected.
StepNumbers NumbersOf(const Profile& profile, const StepTrain& train);

// Of the train that the phases are made of; nothing where there are no steps.
std::optional<StepNumbers> StepsOf(const Profile& profile);

}  // namespace gprofx
