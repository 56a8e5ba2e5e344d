// Builds the view of GPU memory: the live bytes of each allocator, over time and at their peak, and
// the lines that allocate. All numbers are for the shown range; they include blocks that were
// allocated before it and are still live.
//
// It is known when a block was allocated and freed, but not whether anything read or wrote it. The
// view therefore says that memory was allocated before the first step, that it was never freed, or
// how long it lived, and never that it was not needed. A line grows if blocks of nearly every step
// are still live at the end. Blocks that one step leaves and the next step frees do not count as
// growth: only those of the last steps are live at the end. Pure; ids are those of the profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event_rows.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

struct AllocatorMemory {  // of one process on one GPU
  ProcessId process;
  GpuDeviceId device;
  bool is_framework = false;     // false: the driver's allocator
  bool is_shown = false;         // MemoryTable::lines contains its call paths
  int64_t peak = 0, at_end = 0;  // live bytes
  HostNs peak_time = 0;
  // Bytes that the allocator has reserved: `reserved_at_peak` when its live bytes had their peak,
  // and the maximum; -1 = unknown.
  int64_t reserved_at_peak = -1, most_reserved = -1;
  int64_t most_in_pools = 0;    // driver only: maximum in pools of cuMemAllocAsync
  int64_t unknown_at_peak = 0;  // allocated before the recording
  int64_t allocations = 0, allocated = 0, frees = 0, freed = 0;
  int64_t never_freed = 0, never_freed_bytes = 0;  // allocations in the range that were never freed
  int64_t unmatched = 0;                // frees of blocks whose allocation was not recorded
  std::vector<int64_t> live, reserved;  // by bin: maximum
};

// Allocations by a Python line, or by a native function if no Python frame is above it.
struct MemoryLine {
  FrameId frame;  // 0 = unknown
  int64_t at_peak = 0, allocated = 0, allocations = 0;
  int64_t never_freed = 0, never_freed_bytes = 0;
  // Bytes allocated before the first step and live until the recording ends.
  int64_t before_steps_bytes = 0;
  // If the line grows: mean number of bytes that a step leaves behind, and number of steps that
  // left any. Otherwise both are 0.
  int64_t grows_by = 0, leaving_steps = 0;
  int64_t median_life_ns = -1, longest_life_ns = -1;  // of freed blocks; -1 = none
};

struct MemoryTable {
  TimeRange range;
  std::vector<AllocatorMemory> allocators;  // sorted by peak, largest first
  std::vector<MemoryLine> lines;            // sorted by size at the peaks, largest first
  int64_t at_peaks = 0;  // sum over the lines: live bytes of each shown allocator at its peak
  size_t shown = 0;      // number of lines to show
  bool has_steps = false;
  int64_t steps = 0;  // steps in the range
};

// Returns the table. `events` must be those of the whole recording, in order of time. `bins` is the
// number of time bins, `lines` the number of lines to show.
MemoryTable MakeMemoryTable(const Profile& profile, std::span<const MemoryEvent> events,
                            size_t bins, size_t lines);

}  // namespace gprofx
