// What detectors look at beside the tree: host calls, copies and samples, one by one. Times are
// HostNs; ids are those of the profile.
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

struct FindingEvents {
  std::vector<CallEvent> calls;       // of the driver: those that wait, and those that took long
  std::vector<CopyMemory> copies;     // in the order of the copies among GpuWorkEvents::operations
  size_t kernels = 0;                 // operations before the copies
  std::vector<SampleRow> samples;     // of what is shown
  std::vector<WaitPlaceEvent> waits;  // of threads that launch
  std::vector<LevelWindow> windows;   // empty: records were made all the time
  // Where samples are too many to be held: gives them in turn, after `samples`. Called once,
  // by another thread than who asked for findings, who waits for it.
  using TakeSamples = std::function<void(std::span<const SampleRow>)>;
  std::function<void(const TakeSamples& take)> read_samples;
};

}  // namespace gprofx
