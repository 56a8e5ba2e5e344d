// Finds replacements for steps if no steps were found: passes of a loop, or the whole run as one
// step. Used inside core/replay only.
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
  std::string from;                   // where each pass begins, for display: "chain (train.py:12)"
};

// Finds passes of a loop in the process with the most launches. Candidates are its call paths that
// launched work repeatedly, not in bursts, and over at least half of the time with launches. The
// candidate with the fewest launches is chosen, because work that repeats within a pass is launched
// more often. If hardly any other path with launches over so much of the time has a similar number
// of launches, the candidate belongs to a loop around the steps, and is chosen only if there is no
// other. With ten such paths or fewer, this cannot be checked and any candidate is accepted. A pass
// reaches from one launch of the path to the next launch in the same period with records. `windows`
// says when records were made; empty = always.
//
// Returns nullopt if there is no candidate. The step finders (core/steps/step_finders.h) are more
// careful and find nothing if in doubt. This function always returns its best guess, and says in
// Passes::from where a pass begins.
std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events,
                                 std::span<const LevelWindow> windows);

// Returns the whole run as one step: from the first launch in the shown range to the end of the
// last work launched in it. Returns nullopt if there is no work.
std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events);

}  // namespace gprofx
