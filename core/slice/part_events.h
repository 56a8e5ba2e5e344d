// What of a recording a part of it is made of (core/slice/part_builder.h), beside its samples.
// Times are HostNs.
#pragma once

#include <vector>

#include "core/events/event_rows.h"
#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

struct PartEvents {  // of the whole recording; operations mostly in order
  PhaseEvents events;
  bool has_operations = true;  // false: they are too many to be held
  struct Full {                // a launch waited for room in its queue
    HostNs begin = 0, end = 0;
    ProcessId process;
  };
  std::vector<Full> queue_full;
  std::vector<WaitPlaceEvent> looks;
  // Of the whole recording; empty where records of all work were made.
  std::vector<LevelWindow> windows;
  std::vector<MemoryEvent> memory;  // of the whole recording, in order; empty where there is none
};

}  // namespace gprofx
