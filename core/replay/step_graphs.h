// The steps of a recording as graphs that can be replayed. These are the steps of the profile's
// first train (the steps of one process) that lie in the shown range and in times with GPU records.
// If no steps were found, passes of a loop replace them (passes.h). Pure; linear in the events
// except for sorting them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/events/replay_events.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/replay/graph.h"

namespace gprofx {

// Returns contiguous windows of steps. `windows`: where records were made and where not; empty =
// always.
std::vector<ReplayWindow> ReplayWindows(const Profile& profile,
                                        std::span<const LevelWindow> windows);

struct StepGraphs {
  std::vector<ReplayEvents> slices;  // events of each window; empty if one window has all events
  std::vector<ReplayGraph> graphs;   // one for each window, in order of time
  std::string passes;  // if no steps were found: where a pass begins, "chain (train.py:12)"
  bool whole = false;  // no steps and no passes: the whole run is one step
  std::string reason;  // why there are no graphs, and what to do

  // Returns a model for each graph, with only the host times changed.
  std::vector<ReplayModel> Models(double host_factor = 1) const;
};

// `events` must outlive the result. `or_whole`: without any repetition, the run counts as one step.
StepGraphs MakeStepGraphs(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows, bool or_whole = false);

}  // namespace gprofx
