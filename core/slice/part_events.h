// Holds the data of a recording from which a slice is built (core/slice/part_builder.h). Samples
// are passed separately. Times are HostNs.
#pragma once

#include <vector>

#include "core/events/event_rows.h"
#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

struct PartEvents {  // of the whole recording; operations mostly in order of time
  PhaseEvents events;
  bool has_operations = true;  // false: there are too many operations to hold
  struct Full {                // a launch waited for space in the queue
    HostNs begin = 0, end = 0;
    ProcessId process;
  };
  std::vector<Full> queue_full;
  std::vector<WaitPlaceEvent> looks;
  // Windows of the whole recording. Empty if GPU work was recorded all the time.
  std::vector<LevelWindow> windows;
  std::vector<MemoryEvent> memory;  // of the whole recording, in order; may be empty
};

}  // namespace gprofx
