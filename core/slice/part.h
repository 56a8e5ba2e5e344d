// Describes the time slice of a recording that is shown (Profile::part), and the query for it. If
// Profile::part is set, the values, gpu.wall and gpu.lanes of the profile cover only that slice.
// core/slice/part_builder.h says which events count.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/steps/phases.h"

namespace gprofx {

// The requested slice of a recording (core/slice/choose_part.h). At most one of `phase`, `range`
// and `steps` may be set. If none is set and `all` is false, the query asks for the steady phase
// or, if there is none, for everything.
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
  std::optional<PhaseKind> phase;  // set if the range is this phase
  // Of the steps of the first StepTrain that lie completely in the range: the first one, counted
  // from 1 (0 = none), and their number.
  uint32_t first_step = 0, steps = 0;
  bool chosen = false;       // true: the user asked for this slice; false: it is the default
  bool events_only = false;  // imported trace; its host code has no times and is left out
  // How much of this slice has records; set only if GPU work was recorded part of the time.
  std::optional<RecordsMade> records;
  std::vector<int64_t> whole;  // sums over the whole recording, by MetricId::index()
  bool operator==(const ShownPart&) const = default;
};

}  // namespace gprofx
