// Expresses a recorded run of a benchmark in calls: the times of functions, lines and kernels
// become those of one call. The harness knows how long a call takes, the samples know which share
// of it a function has. So runs with different numbers of calls can be compared. Pure.
#pragma once

#include "core/compare/run.h"

namespace gprofx::compare {

// `call_ns`: time of one call, of the clock that the functions have. Uses the steady steps of the
// run if it has any and `steps` is true, else the whole run. Afterwards the run has steps, and a
// step is a call. Does nothing if the run has no samples.
void ExpressPerCall(Run& run, double call_ns, bool steps);

}  // namespace gprofx::compare
