// The plan of samples while each of them stands for several periods, because of the budget
// (samplers/recorder/sparse_samples.h). Both sides of the wire.
#pragma once

#include "samplers/wire/layout.h"

namespace gprofx::wire {

inline SamplingPlan SparsePlan(SamplingPlan plan, uint32_t periods) {
  plan.posix_period_ns *= periods;
  plan.perf_period_ns *= periods;
  plan.nominal_period_ns *= periods;
  return plan;
}

}  // namespace gprofx::wire
