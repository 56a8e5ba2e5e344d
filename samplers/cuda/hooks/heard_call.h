// A CUDA call that we hear of, whoever tells it: CUPTI (driver_calls.cpp) or a function of ours in
// place of the driver's (driver_hooks.cpp). On the program's threads; nothing waits or allocates.
#pragma once

#include <cstdint>

#include "samplers/cuda/hooks/followed_call.h"
#include "samplers/wire/agent_entry.h"

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

// The same for a launch that a hook hears. It allocates no memory, and no other call is heard in
// it.
void HearLaunch(const ToldCall& told, wire::BegunLaunch* launch);
void HearLaunchEnd(const ToldCall& told, const wire::BegunLaunch& launch);
// One of them took `ns` of the program's thread; it stands for so many.
void CountHookTime(int64_t ns, uint32_t launches);

}  // namespace gprofx::cuda
