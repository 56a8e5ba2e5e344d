// Records a CUDA call. Either CUPTI hears the call (driver_calls.cpp), or a hook in place of a
// driver function does (driver_hooks.cpp). Runs on the program's threads. Does not wait or
// allocate.
#pragma once

#include <cstdint>

#include "samplers/cuda/hooks/followed_call.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::cuda {

// Describes a call. `parameters` are the arguments, in 8 bytes each (CUPTI's layout); null =
// unknown.
struct ToldCall {
  const FollowedCall& what;
  const uint64_t* parameters;
  uint32_t context;  // CUPTI's number of the context; 0 = the current one
};

// Records the begin of a call. `correlation` is CUPTI's id, or kNoCorrelation. If `recorded` is
// false, takes only the call path, which is needed for the call's effect on memory.
void HearBegin(const ToldCall& told, uint32_t correlation, bool recorded);
// Records the end of a call. `result` is the driver's result code.
void HearEnd(const ToldCall& told, uint32_t result);

// Record the begin and the end of a launch that a hook hears. Such a launch allocates no GPU
// memory, and the thread makes no other heard call meanwhile.
void HearLaunch(const ToldCall& told, wire::BegunCall* launch);
void HearLaunchEnd(const ToldCall& told, const wire::BegunCall& launch);
// Counts the time that a hook took in one launch, in ns of the program's thread. Counts it
// `launches` times, because only one launch in so many is timed.
void CountHookTime(int64_t ns, uint32_t launches);

}  // namespace gprofx::cuda
