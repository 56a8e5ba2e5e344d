// Computes the cost of each recording level. `gprof-x record --levels` runs a program several times
// with each of several sets of levels, such as M, ML and MLK, which record more and more. Method:
// XSP (Li et al., IPDPS 2020). The cost of a level is the difference between runs with and without
// it. Each difference is computed from pairs of runs with the same repeat number.
//
// Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

inline constexpr char kLeveledRuns[] = "leveled_runs";

// Adds a row for one run. Adds none if the run's label is not of the form that --levels assigns,
// such as "MLK.3".
void LeveledRun(const AnalysisContext& context, Analysis& out);

// Replaces the rows of runs by rows of levels: how much time each level adds to a step. Adds a note
// that says whether this agrees with the overhead that the default runs measured themselves.
void JoinLeveledRuns(Analysis& joined);

}  // namespace gprofx::analyses
