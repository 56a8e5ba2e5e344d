// Which calls of the driver allocate GPU memory or give it back, and what their arguments say.
// Pure.
//
// A free is told before the call and an allocation after it: then another thread that gets the same
// address is always told of later. Of an allocation that failed nothing is told.
#pragma once

#include <cstdint>
#include <optional>

#include "samplers/wire/agent_entry.h"

namespace gprofx::cuda {

enum class MemoryCall : uint8_t {
  kNone,
  kAlloc,       // (address*, bytes, ...)
  kAllocPitch,  // (address*, pitch*, width, height, ...)
  kPoolAlloc,   // (address*, bytes, ...)
  kFree,        // (address)
  kPoolFree,    // (address, stream)
  kCreate,      // (handle*, bytes, properties*, ...)
  kRelease,     // (handle)
  kMap,         // (address, bytes, offset, handle, ...)
  kUnmap,       // (address, bytes)
};

// "cuMemAlloc_v2" -> kAlloc. Memory of the host, and addresses of 32 bits, are kNone.
MemoryCall MemoryCallOfName(const char* name);

// `parameters`: the call's arguments as CUPTI lays them out, each in its own 8 bytes; null =
// unknown. Without context, node and time. Nothing where nothing has happened (yet).
std::optional<wire::MemoryEvent> EventOfCall(MemoryCall call, bool begins, bool failed,
                                             const uint64_t* parameters);

}  // namespace gprofx::cuda
