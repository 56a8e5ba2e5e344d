// What stands for steps where none were found: passes of a loop, or all of it. Used inside
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
  std::vector<ReplayWindow> windows;  // one for each time with records that has a whole pass
  std::string from;                   // where each begins, in words: "chain (train.py:12)"
};

// Of the process that launches most, and of its call paths that launched work again and again over
// at least half of the time in which anything was launched, and not in bursts, that which did it
// least often: what is repeated within a pass comes more often. One that hardly any other repeats
// as often as is taken only where nothing else is: it belongs to a loop around the steps (of no
// more than ten such paths any may be one of steps). A pass is from one of its launches to the
// next, both in one of the times in which records were made (`windows`; empty = always). Steps are
// looked for with more care (core/steps/step_finders.h) and say nothing where there is doubt; this
// says what it took for a pass.
std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events,
                                 std::span<const LevelWindow> windows);

// From the first launch of what is shown to the end of its last work, as one step; none where there
// is no work.
std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events);

}  // namespace gprofx
