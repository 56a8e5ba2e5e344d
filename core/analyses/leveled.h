// The cost of each recording level, from runs with more and more of the recording enabled (gprof-x
// record --levels). Method: XSP (Li et al., IPDPS 2020): the cost of a level is the difference to
// the set before it, over pairs of consecutive runs.
//
// Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

inline constexpr char kLeveledRuns[] = "leveled_runs";

// Makes the row of one run. Makes no row if the label of the run is not one that --levels gives,
// such as "MLK.3".
void LeveledRun(const AnalysisContext& context, Analysis& out);

// Turns rows of runs into rows of levels: what each level adds to a step, and whether the overhead
// that a default run measured itself agrees with it.
void JoinLeveledRuns(Analysis& joined);

}  // namespace gprofx::analyses
