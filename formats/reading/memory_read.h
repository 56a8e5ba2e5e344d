// Reads the GPU memory events of a profile (core/gpu/gpu_memory.h). Blocking. Memory: 80 bytes per
// event.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/events/event_rows.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Returns the events sorted by time, the order in which the allocators allocated and freed.
Result<std::vector<MemoryEvent>> ReadMemory(const ProfileSource& source);

}  // namespace gprofx
