// Describes the time slice of a recording that the values, gpu.wall and gpu.lanes of a profile
// cover (Profile::part), and the query for it. Which events count in a slice:
// core/slice/part_builder.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

// The requested slice of the recording (core/slice/choose_part.h). At most one of `phase`, `range`
// and `steps` may be set. If none is set and `all` is false, the query asks for the steady phase if
// there is one, otherwise for everything.
struct PartQuery {
  bool all = false;  // everything, even if there is a steady phase
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
  uint32_t first_step = 0, steps = 0;  // whole steps of the first StepTrain in it; from 1, or 0
  bool chosen = false;                 // requested explicitly; otherwise the default
  bool events_only = false;            // imported trace: host code has no times and is left out
  // Only if GPU work was recorded part of the time: how much of this slice has records.
  std::optional<RecordsMade> records;
  std::vector<int64_t> whole;  // sums of the whole recording, by MetricId::index()
  bool operator==(const ShownPart&) const = default;
};

}  // namespace gprofx
