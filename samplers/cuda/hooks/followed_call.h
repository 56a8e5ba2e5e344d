// A function of the driver that we follow, and what its calls mean to us. Pure.
#pragma once

#include "samplers/cuda/hooks/memory_calls.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

struct FollowedCall {
  wire::GpuCall call = wire::kCallNone;
  MemoryCall memory = MemoryCall::kNone;
  bool handle_second = false;  // what it launches is its second parameter, behind a configuration
  bool hands_out = false;      // functions of the driver, to libraries
  bool needs_cupti = false;    // graphs, contexts

  // Its calls are recorded.
  bool is_heard() const { return call != wire::kCallNone; }
  bool is_memory() const { return memory != MemoryCall::kNone; }
  // On every level.
  bool is_always_followed() const { return is_memory() || hands_out || needs_cupti; }
};

// By the driver's or CUPTI's name of it. None of the fields is set: it is of no interest.
FollowedCall FollowedCallOfName(const char* name);

}  // namespace gprofx::cuda
