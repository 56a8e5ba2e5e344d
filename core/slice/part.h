// What Profile::part says of a profile whose values, gpu.wall and gpu.lanes are those of a part of
// the recording in time, and how one is asked for. What counts in a part:
// core/slice/part_builder.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

// Which part of the recording is asked for (core/slice/choose_part.h). At most one of the three;
// nothing = the steady phase where there is one, else everything.
struct PartQuery {
  bool all = false;  // everything, in spite of a steady phase
  std::optional<PhaseKind> phase;
  std::optional<TimeRange> range;
  struct Steps {
    uint32_t first = 1, last = 1;  // counted from 1, both inclusive
  };
  std::optional<Steps> steps;

  bool IsPart() const { return phase || range || steps; }
};

struct ShownPart {
  TimeRange range;
  std::optional<PhaseKind> phase;      // the range is this phase
  uint32_t first_step = 0, steps = 0;  // it is these steps of the first train, from 1; 0 = of none
  bool chosen = false;                 // somebody asked for it; else it is what is usually shown
  bool events_only = false;  // of an imported trace: host code has no times, it is left out
  // Where records of GPU work were made for a part of the time only: for what of this part.
  std::optional<RecordsMade> records;
  std::vector<int64_t> whole;  // sums of the whole recording, by MetricId::index()
  bool operator==(const ShownPart&) const = default;
};

}  // namespace gprofx
