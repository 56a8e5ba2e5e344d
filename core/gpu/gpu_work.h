// Defines GpuWorkEvents: the GPU work of a recording, operation by operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/events/event_rows.h"
#include "core/gpu/level_windows.h"
#include "core/model/ids.h"
#include "core/steps/phases.h"

namespace gprofx {

// Execution units for floating point operations: ordinary cores by type, then tensor cores by the
// type of the factors that they multiply.
enum class FlopUnit : uint8_t {
  kF64,
  kF32,
  kF16,
  kTensorF64,
  kTensorTf32,
  kTensorF16,
  kTensorBf16,
  kTensorF8
};
inline constexpr size_t kFlopUnits = 8;

// Values of hardware counters for the launches of one configuration
// (core/kernels/kernel_counters.h).
struct KernelCounters {
  GpuConfigId config;
  int64_t launches = 0;  // measured launches
  bool has_bytes = false, has_flop = false, is_uneven = false;
  double bytes = 0;                          // per launch, read from and written to device memory
  std::array<double, kFlopUnits> flop = {};  // per launch, by FlopUnit
};

struct GpuWorkEvents {
  std::vector<PhaseOperation> operations;  // kernels, then copies, then memsets
  std::vector<GpuConfigId> configs;        // one for each kernel
  // Duration of the CUDA call that launched each operation, ns; -1 = unknown. Empty if all are
  // unknown.
  std::vector<int64_t> launch_ns;
  std::vector<MemoryEvent> memory;       // in order of allocation and free; empty if unknown
  std::vector<KernelCounters> counters;  // by configuration
  std::vector<LevelWindow> windows;      // empty: GPU work was recorded all the time
};

}  // namespace gprofx
