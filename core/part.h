// A part of a recording in time: what of its samples, GPU work and waits lies in a range, as the
// same tables of values that the whole recording has. Every view of a part is then a view of a
// profile.
//
// What counts in [begin, end): a CPU sample with its whole weight if it was taken there; of a
// kernel, copy, memset or waiting call the time that lies there; an operation where it begins. So
// the parts of a partition of the recording sum up to the recording, for every metric but the
// following. Samples of instructions have no time: a kernel that ran in the range has those of the
// whole recording. Estimates of work without records are of the whole recording only, a part has
// none of them. Pure; one thread. Times are HostNs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu.h"
#include "core/phases.h"

namespace gprofx {

struct Value;

struct PartValues {
  TimeRange range;
  std::vector<Value> values;    // in the order of Profile::values
  std::vector<WallPart> wall;   // its sum is the length of the range
  std::vector<WallLane> lanes;
};

// What Profile::part says of a profile whose values, wall and lanes are those of a range.
struct ShownPart {
  TimeRange range;
  std::optional<PhaseKind> phase;        // the range is this phase
  uint32_t first_step = 0, steps = 0;    // it is these steps of the first train, counted from 1
  bool chosen = false;                   // somebody asked for it; otherwise it is the usual part
  std::vector<int64_t> whole;            // sums of the whole recording, by MetricId::index()
};

}  // namespace gprofx
