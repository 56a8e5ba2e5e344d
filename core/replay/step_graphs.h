// Makes graphs that can be replayed from the steps of a recording. The steps are those of the
// profile's first train (the steps of one process) that lie in the shown range and in periods with
// GPU records. If no steps were found, passes of a loop replace them (passes.h). Pure. Cost: linear
// in the events except for sorting them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/events/replay_events.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/replay/graph.h"

namespace gprofx {

// Returns windows of consecutive steps. `windows` holds the windows with and without records; empty
// = records were always made.
std::vector<ReplayWindow> ReplayWindows(const Profile& profile,
                                        std::span<const LevelWindow> windows);

struct StepGraphs {
  // Events of each window; empty if a single window has all events.
  std::vector<ReplayEvents> slices;
  std::vector<ReplayGraph> graphs;  // one for each window, in order of time
  std::string passes;  // where a pass begins, if no steps were found: "chain (train.py:12)"
  bool whole = false;  // no steps and no passes were found: the whole run is one step
  std::string reason;  // why there are no graphs, and what to do; "" if there are

  // Returns a model for each graph that only multiplies the times of the host by `host_factor`.
  std::vector<ReplayModel> Models(double host_factor = 1) const;
};

// Makes the graphs. `events` must outlive the result. If `or_whole` is set and nothing repeats, the
// whole run is one step.
StepGraphs MakeStepGraphs(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows, bool or_whole = false);

}  // namespace gprofx
