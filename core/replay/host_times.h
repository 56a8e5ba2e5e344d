// Finds the factor by which to multiply the host's times to remove the cost of recording. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/replay/step_graphs.h"

namespace gprofx {

// What the user knows about the speed of the host without recording. Set at most one of the two.
struct HostTimes {
  double factor = 1;
  int64_t step_ns = 0;  // length of a step without recording, ns; 0 = unknown
};

struct HostFactor {
  double factor = 1;
  std::string said;    // a sentence that says how the factor was found
  std::string reason;  // why there is no factor; "" if there is one
};

HostFactor FindHostFactor(const StepGraphs& steps, const HostTimes& host);

}  // namespace gprofx
