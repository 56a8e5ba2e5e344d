// Driver calls that allocate or free GPU memory, and the meaning of their arguments. Pure.
//
// A free is reported before the call and an allocation after it, so the report of another thread
// that gets the same address always comes later. A failed allocation is not reported.
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

// "cuMemAlloc_v2" -> kAlloc. Host memory and 32-bit addresses are kNone.
MemoryCall MemoryCallOfName(const char* name);

// Returns the event of a call, without context, node and time. Returns none if there is nothing to
// report at this point, such as at the begin of an allocation, at the end of a free, or if the call
// failed. `parameters`: the call's arguments in CUPTI's layout, each in its own 8 bytes; null =
// unknown.
std::optional<wire::MemoryEvent> EventOfCall(MemoryCall call, bool begins, bool failed,
                                             const uint64_t* parameters);

}  // namespace gprofx::cuda
