// Substitutes for steps where none were found: passes of a loop, or the whole run. Used inside
// core/replay only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/events/replay_events.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"

namespace gprofx {

struct Passes {
  std::vector<ReplayWindow> windows;  // one for each time with records that contains a whole pass
  std::string from;                   // where each begins, for display: "chain (train.py:12)"
};

// Finds passes in the process that launches most. Candidates are its call paths that launched work
// repeatedly over at least half of the time with launches, and not in bursts. Of these it takes the
// one with the fewest launches, because work repeated within a pass occurs more often. A path whose
// count hardly any other path shares belongs to a loop around the steps and is taken only if there
// is nothing else (with no more than ten such paths, any of them may be that of the steps). A pass
// reaches from one launch of the path to the next, both in the same time with records (`windows`;
// empty = always). The step finders (core/steps/step_finders.h) are more careful and return nothing
// in doubt; this function reports what it took for a pass.
std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events,
                                 std::span<const LevelWindow> windows);

// Returns one step from the first launch in the shown range to the end of its last work; none if
// there is no work.
std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events);

}  // namespace gprofx
