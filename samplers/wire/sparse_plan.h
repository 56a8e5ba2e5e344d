// Adapts the sampling plan when each sample represents several periods, which keeps the recording
// within its budget (samplers/recorder/sparse_samples.h). Used by both sides of the wire.
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
