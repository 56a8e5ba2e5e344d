// How much shorter the times of the host are where nothing is recorded. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/replay/step_graphs.h"

namespace gprofx {

// At most one of the two.
struct HostTimes {
  double factor = 1;
  int64_t step_ns = 0;  // such that a step takes so long; 0 = not known
};

struct HostFactor {
  double factor = 1;
  std::string said;    // one sentence
  std::string reason;  // why there is none; "" = there is one
};

HostFactor FindHostFactor(const StepGraphs& steps, const HostTimes& host);

}  // namespace gprofx
