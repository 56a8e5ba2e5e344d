// GPU memory as a view: what each allocator gave out, over time and at its peak, and the lines that
// allocate. All numbers are of the range that is shown; what was live before it is live in it.
//
// Of an allocation its interval is known, and what else happened meanwhile; not whether anything
// read or wrote it. So what is said of it is that it was made before the first step, was never
// given back, or how long it lived; never that it was not needed. A line grows where it leaves
// blocks behind in nearly every step: what one step leaves and the next one takes back is of the
// last steps alone. Pure; ids are those of the profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/events/event_rows.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

struct AllocatorMemory {  // of a process, on a GPU
  ProcessId process;
  GpuDeviceId device;
  bool is_framework = false;     // else the driver
  bool is_shown = false;         // its call paths are the lines below
  int64_t peak = 0, at_end = 0;  // live bytes
  HostNs peak_time = 0;
  // What the allocator holds, -1 = it does not say: at the peak of what it gave out, and at most.
  int64_t reserved_at_peak = -1, most_reserved = -1;
  int64_t most_in_pools = 0;    // of the driver: in pools of cuMemAllocAsync
  int64_t unknown_at_peak = 0;  // allocated before the recording
  int64_t allocations = 0, allocated = 0, frees = 0, freed = 0;
  int64_t never_freed = 0, never_freed_bytes = 0;  // of the allocations in the range
  int64_t unmatched = 0;                           // frees of what no event allocated
  std::vector<int64_t> live, reserved;             // the most in each bin
};

// Allocations of a line of Python, or of a native function where there is none above it.
struct MemoryLine {
  FrameId frame;  // 0 = unknown
  int64_t at_peak = 0, allocated = 0, allocations = 0;
  int64_t never_freed = 0, never_freed_bytes = 0;
  int64_t before_steps_bytes = 0;  // live from before the first step of the recording to its end
  // Bytes that a mean step leaves behind, where the line grows, and the steps that left any.
  int64_t grows_by = 0, leaving_steps = 0;
  int64_t median_life_ns = -1, longest_life_ns = -1;  // of those that were freed; -1 = none was
};

struct MemoryTable {
  TimeRange range;
  std::vector<AllocatorMemory> allocators;  // with most at the peak first
  std::vector<MemoryLine> lines;            // with most at the peaks first
  int64_t at_peaks = 0;  // sum of the lines: of each allocator that is shown at its peak
  size_t shown = 0;      // lines
  bool has_steps = false;
  int64_t steps = 0;  // that lie in the range
};

// `events`: of the whole recording, in order of time.
MemoryTable MakeMemoryTable(const Profile& profile, std::span<const MemoryEvent> events,
                            size_t bins, size_t lines);

}  // namespace gprofx
