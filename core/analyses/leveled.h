// What each level of the recording costs, from runs with more and more of it switched on (gprof-x
// record --levels). Method: XSP (Li et al., IPDPS 2020): a level costs the difference to the set
// before it, pair by pair of runs that followed each other.
//
// Pure; one thread.
#pragma once

#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

inline constexpr char kLeveledRuns[] = "leveled_runs";

// The analysis of one run: its row. Empty where the run has no label of --levels.
void LeveledRun(const AnalysisContext& context, Analysis& out);

// Rows of runs become rows of levels, with what each adds to a step, and whether the own cost that
// a run with the default settings measured agrees.
void JoinLeveledRuns(Analysis& joined);

}  // namespace gprofx::analyses
