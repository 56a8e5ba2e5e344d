// A CUDA call that we hear of, whoever tells it: CUPTI (driver_calls.cpp) or a function of ours in place of
// the driver's (launch_hooks.cpp). On the program's threads; nothing waits or allocates.
#pragma once

#include <cstdint>

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

// `object`: what is launched, as the program's handle; `correlation`: CUPTI's, or kNoCorrelation.
// Returns the stack node of the call, 0 = unknown.
uint32_t HearBegin(wire::GpuCall call, uint64_t object, uint32_t correlation);
void HearEnd(wire::GpuCall call);

}  // namespace gprofx::cuda
