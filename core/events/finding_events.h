// Holds what detectors of inefficiencies read in addition to the tree: individual host calls,
// copies and samples. Times are HostNs; ids are those of the profile.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/events/event_rows.h"
#include "core/gpu/copy_memory.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"

namespace gprofx {

// A range in which a thread waits for its data. Frameworks name such ranges
// "enumerate(DataLoader)...".
struct LoadingRange {
  HostNs begin = 0, end = 0;
  ThreadId thread;
  NodeId node;  // call path of the range
};

struct FindingEvents {
  std::vector<CallEvent> calls;  // driver calls that waited or took long
  // One for each copy in GpuWorkEvents::operations, in the same order.
  std::vector<CopyMemory> copies;
  size_t kernels = 0;                 // position of the first copy in GpuWorkEvents::operations
  std::vector<SampleRow> samples;     // of the shown range
  std::vector<WaitPlaceEvent> waits;  // of threads that launch GPU work
  std::vector<LoadingRange> loading;  // of threads that launch GPU work, in order of begin
  std::vector<LevelWindow> windows;   // empty: GPU work was recorded all the time
  // Set if there are too many samples to hold in memory. It passes the samples that are not in
  // `samples` to `take`. It is called once, on another thread than the one that asked for findings,
  // which blocks meanwhile.
  using TakeSamples = std::function<void(std::span<const SampleRow>)>;
  std::function<void(const TakeSamples& take)> read_samples;
};

}  // namespace gprofx
