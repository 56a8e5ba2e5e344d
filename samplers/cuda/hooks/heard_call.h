// Records a CUDA call that is heard by CUPTI (driver_calls.cpp) or by a hook in place of a driver
// function (driver_hooks.cpp). Runs on the program's threads. Does not wait or allocate.
#pragma once

#include <cstdint>

#include "samplers/cuda/hooks/followed_call.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::cuda {

// Describes a call. `parameters` are 8 bytes each, in CUPTI's layout; null = unknown.
struct ToldCall {
  const FollowedCall& what;
  const uint64_t* parameters;
  uint32_t context;  // CUPTI's number; 0 = the current one
};

// Records the begin of a call. `correlation` is CUPTI's id, or kNoCorrelation. If `recorded` is
// false, only the call path is taken, for the call's effect on memory.
void HearBegin(const ToldCall& told, uint32_t correlation, bool recorded);
// Records the end of a call. `result` is the driver's result code.
void HearEnd(const ToldCall& told, uint32_t result);

// Record the begin and the end of a launch that a hook hears. Such a launch allocates no GPU
// memory, and no other call is heard while it runs.
void HearLaunch(const ToldCall& told, wire::BegunCall* launch);
void HearLaunchEnd(const ToldCall& told, const wire::BegunCall& launch);
// Counts the time that a hook took in one launch, in ns of the program's thread. It counts for
// `launches` launches.
void CountHookTime(int64_t ns, uint32_t launches);

}  // namespace gprofx::cuda
