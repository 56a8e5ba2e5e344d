// The steps of a recording as graphs that can be replayed: those of the profile's first train that
// lie in the part which is shown, and in times in which records of GPU work were made. Where no
// steps were found, passes of a loop. Pure; linear in the events but for sorting them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/events/replay_events.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/replay/graph.h"

namespace gprofx {

// In pieces that belong together. `windows`: where records were made and where not; empty = always.
std::vector<ReplayWindow> ReplayWindows(const Profile& profile,
                                        std::span<const LevelWindow> windows);

struct StepGraphs {
  std::vector<ReplayEvents> slices;  // of each piece; none where one piece has all events
  std::vector<ReplayGraph> graphs;   // in the order of time
  std::string passes;  // where no steps were found: where a pass begins, "chain (train.py:12)"
  bool whole = false;  // nor passes: all of it is one
  std::string reason;  // why there are none, and what to do

  // A model for each graph, in which nothing is changed yet but host times.
  std::vector<ReplayModel> Models(double host_factor = 1) const;
};

// `events` must outlive what is made. `or_whole`: what repeats nothing counts as one step.
StepGraphs MakeStepGraphs(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows, bool or_whole = false);

}  // namespace gprofx
