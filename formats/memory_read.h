// The GPU memory events of a profile (core/gpu_memory.h). Blocking; memory: 80 bytes for each.
#pragma once

#include <vector>

#include "core/event_rows.h"
#include "core/result.h"
#include "formats/profile_source.h"

namespace gprofx {

// In order of time, which is that of the allocators.
Result<std::vector<MemoryEvent>> ReadMemory(const ProfileSource& source);

}  // namespace gprofx
