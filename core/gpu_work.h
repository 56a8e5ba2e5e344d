// The GPU work of a recording, one operation after the other.
#pragma once

#include <vector>

#include "core/event_rows.h"
#include "core/ids.h"
#include "core/phases.h"

namespace gprofx {

struct GpuWorkEvents {
  std::vector<PhaseOperation> operations;  // kernels, then copies, then memsets
  std::vector<GpuConfigId> configs;        // of the kernels
  // Of each operation how long the call took that launched it, ns; -1 = unknown. Empty: of none.
  std::vector<int64_t> launch_ns;
  std::vector<MemoryEvent> memory;  // allocations and frees, in order; empty where none were recorded
};

}  // namespace gprofx
