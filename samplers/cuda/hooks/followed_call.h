// Describes a driver function that we follow, and how we treat its calls. Pure.
#pragma once

#include "samplers/cuda/hooks/memory_calls.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

struct FollowedCall {
  wire::GpuCall call = wire::kCallNone;
  MemoryCall memory = MemoryCall::kNone;
  bool handle_second = false;  // the second parameter is the handle, the first a configuration
  bool hands_out = false;      // returns driver functions to libraries
  bool needs_cupti = false;    // makes graph nodes or contexts

  // True if calls of this function are recorded.
  bool is_heard() const { return call != wire::kCallNone; }
  bool is_memory() const { return memory != MemoryCall::kNone; }
  // True if this function is followed on every level of recording.
  bool is_always_followed() const { return is_memory() || hands_out || needs_cupti; }
};

// Looks a function up by its name in the driver or in CUPTI. If the function is of no interest, no
// field of the result is set.
FollowedCall FollowedCallOfName(const char* name);

}  // namespace gprofx::cuda
