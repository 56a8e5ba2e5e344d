// Converts the times of a recorded benchmark run to times per call, for functions, lines and
// kernels. The harness knows how long a call takes, and the samples know which share of it a
// function has. Runs with different numbers of calls can then be compared. Pure.
#pragma once

#include "core/compare/run.h"

namespace gprofx::compare {

// Converts `run`; afterwards it has steps, and a step is a call. `call_ns` is the time of a call by
// the clock of the functions. If `steps` is true and the run has steady steps, their times are
// used; otherwise those of the whole run. Does nothing if the run has no samples.
void ExpressPerCall(Run& run, double call_ns, bool steps);

}  // namespace gprofx::compare
