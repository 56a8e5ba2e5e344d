// Handles a CUDA call that we hear, whether from CUPTI (driver_calls.cpp) or from a hook in place
// of a driver function (driver_hooks.cpp). Runs on the program's threads; does not wait or
// allocate.
#pragma once

#include <cstdint>

#include "samplers/cuda/hooks/followed_call.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::cuda {

// Description of one call. `parameters`: 8 bytes each, in CUPTI's layout; null = unknown.
struct ToldCall {
  const FollowedCall& what;
  const uint64_t* parameters;
  uint32_t context;  // CUPTI's number; 0 = the current one
};

// `correlation`: CUPTI's, or kNoCorrelation. `recorded`: if false, the call gets a call path only,
// for its effect on memory.
void HearBegin(const ToldCall& told, uint32_t correlation, bool recorded);
// `result`: the driver's result code of the call.
void HearEnd(const ToldCall& told, uint32_t result);

// The same for a launch that a hook hears. Such a launch allocates no GPU memory, and no other call
// is heard while it runs.
void HearLaunch(const ToldCall& told, wire::BegunCall* launch);
void HearLaunchEnd(const ToldCall& told, const wire::BegunCall& launch);
// Counts `ns` of the program's thread spent in one hooked launch, which stands for `launches`
// launches.
void CountHookTime(int64_t ns, uint32_t launches);

}  // namespace gprofx::cuda
