// Finds the factor by which the times of the host shrink without the cost of recording. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/replay/step_graphs.h"

namespace gprofx {

// What the user knows about the host's speed without recording. At most one of the two may be set.
struct HostTimes {
  double factor = 1;
  int64_t step_ns = 0;  // target length of a step; 0 = unknown
};

struct HostFactor {
  double factor = 1;
  std::string said;    // how it was found: one sentence
  std::string reason;  // why there is no factor; "" = there is one
};

HostFactor FindHostFactor(const StepGraphs& steps, const HostTimes& host);

}  // namespace gprofx
