// The GPU memory events of a profile (core/gpu/gpu_memory.h). Blocking; memory: 80 bytes for each.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/events/event_rows.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// In order of time, which is that of the allocators.
Result<std::vector<MemoryEvent>> ReadMemory(const ProfileSource& source);

}  // namespace gprofx
