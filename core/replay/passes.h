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
  std::vector<ReplayWindow> windows;  // one for each period with records that contains a whole pass
  std::string from;                   // where each begins, for display: "chain (train.py:12)"
};

// Finds passes in the process that launches most. Candidates are its call paths that launched work
// repeatedly over at least half of the time with launches, and not in bursts. Of these it takes the
// one with the fewest launches, because work repeated within a pass occurs more often. If hardly
// any other path has a similar number of launches, the path belongs to a loop around the steps and
// is taken only if there is nothing else. With at most ten candidates this cannot be told, so any
// of them is accepted. A pass reaches from one launch of the path to the next one in the same
// period with records (`windows`; empty = always).
//
// Returns nothing if there is no candidate. The step finders (core/steps/step_finders.h) are more
// careful and return nothing when in doubt. This function always takes its best guess, and reports
// in Passes::from where a pass begins.
std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events,
                                 std::span<const LevelWindow> windows);

// Returns the whole run as one step: from the first launch in the shown range to the end of the
// last work launched there. Returns nothing if there is no work.
std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events);

}  // namespace gprofx
