// Converts the times of a recorded benchmark run to times per call, for functions, lines and
// kernels. The harness measures how long a call takes, and the samples give each function's share
// of it. Runs with different numbers of calls can then be compared. Pure.
#pragma once

#include "core/compare/run.h"

namespace gprofx::compare {

// Converts `run`: its steps then are calls. `call_ns` is the time of a call by the clock of the
// functions' times. If `steps` is true and the run has steady steps, their times are used;
// otherwise those of the whole run. Does nothing and returns false if the run has no samples, or if
// `call_ns` is unknown (0).
bool ExpressPerCall(Run& run, double call_ns, bool steps);

}  // namespace gprofx::compare
