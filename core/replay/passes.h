// What stands for steps where none were found: passes of a loop, or all of it. Used inside core/replay
// only.
#pragma once

#include <optional>
#include <string>

#include "core/profile.h"
#include "core/replay_events.h"

namespace gprofx {

struct Passes {
  ReplayWindow window;
  std::string from;  // where each begins, in words: "chain (train.py:12)"
};

// Of the call paths that launched work again and again over at least half of the time in which
// anything was launched, and not in bursts, that which did it least often: what is repeated within a pass comes more
// often. A pass is from one of its launches to the next. Steps are looked for with more care
// (core/step_finders.h) and say nothing where there is doubt; this says what it took for a pass.
std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events);

// From the first launch of what is shown to the end of its last work, as one step; none where there
// is no work.
std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events);

}  // namespace gprofx
