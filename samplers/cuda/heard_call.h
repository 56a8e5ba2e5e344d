// A CUDA call that we hear of, whoever tells it: CUPTI (driver_calls.cpp) or a function of ours in
// place of the driver's (driver_hooks.cpp). On the program's threads; nothing waits or allocates.
#pragma once

#include <cstdint>

#include "samplers/cuda/followed_call.h"

namespace gprofx::cuda {

// What is told of one call. `parameters`: 8 bytes each, as CUPTI lays them out; null = unknown.
struct ToldCall {
  const FollowedCall& what;
  const uint64_t* parameters;
  uint32_t context;  // as CUPTI counts them; 0 = the current one
};

// `correlation`: CUPTI's, or kNoCorrelation. `recorded`: else the call only has a call path, for
// what it does to memory.
void HearBegin(const ToldCall& told, uint32_t correlation, bool recorded);
// `result`: the driver's.
void HearEnd(const ToldCall& told, uint32_t result);

}  // namespace gprofx::cuda
