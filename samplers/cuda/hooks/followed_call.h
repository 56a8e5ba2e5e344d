// A driver function that we follow, and how we treat its calls. Pure.
#pragma once

#include "samplers/cuda/hooks/memory_calls.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

struct FollowedCall {
  wire::GpuCall call = wire::kCallNone;
  MemoryCall memory = MemoryCall::kNone;
  bool handle_second = false;  // the handle is the second parameter, after a configuration
  bool hands_out = false;      // hands out driver functions to libraries
  bool needs_cupti = false;    // graphs, contexts

  // True if its calls are recorded.
  bool is_heard() const { return call != wire::kCallNone; }
  bool is_memory() const { return memory != MemoryCall::kNone; }
  // True if it is followed on every level.
  bool is_always_followed() const { return is_memory() || hands_out || needs_cupti; }
};

// Looks a function up by the name that the driver or CUPTI uses. All fields are unset if it is of
// no interest.
FollowedCall FollowedCallOfName(const char* name);

}  // namespace gprofx::cuda
