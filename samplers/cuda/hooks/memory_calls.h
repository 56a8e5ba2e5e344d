// Recognizes driver calls that allocate or free GPU memory, and reads their arguments. Pure.
//
// A free is reported before the call and an allocation after it. If another thread gets the same
// address, its report therefore comes later. A failed allocation is not reported.
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

// Returns the kind of a driver function, such as kAlloc for "cuMemAlloc_v2". Returns kNone for host
// memory, 32-bit addresses and all other functions.
MemoryCall MemoryCallOfName(const char* name);

// Returns the event of a call, without context, node and time. Returns none if there is nothing to
// report at this point: at the begin of an allocation, at the end of a free, or if the call failed.
// `parameters` are the call's arguments in 8 bytes each (CUPTI's layout); null = unknown.
std::optional<wire::MemoryEvent> EventOfCall(MemoryCall call, bool begins, bool failed,
                                             const uint64_t* parameters);

}  // namespace gprofx::cuda
