// Computes the cost of each recording level from several runs that record more and more (gprof-x
// record --levels). Method: XSP (Li et al., IPDPS 2020). The cost of a level is the difference
// between runs with and without it. Each difference is computed from pairs of runs with the same
// repeat number.
//
// Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

inline constexpr char kLeveledRuns[] = "leveled_runs";

// Adds the row of one run. Adds none if the label of the run is not one that --levels assigns, such
// as "MLK.3".
void LeveledRun(const AnalysisContext& context, Analysis& out);

// Replaces the rows of runs by rows of levels: the time that each level adds to a step. Also notes
// whether the overhead that the default runs measured themselves agrees with that.
void JoinLeveledRuns(Analysis& joined);

}  // namespace gprofx::analyses
