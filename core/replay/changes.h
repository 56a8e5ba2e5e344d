// Applies the changes of a program (what_if.h) to a replay model. Used inside core/replay only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/replay/graph.h"
#include "core/replay/what_if.h"

namespace gprofx {

// What a change affects in a recording. It is the same for all windows of the recording.
struct ChangeContext {
  const Profile& profile;
  const WhatIfChange& change;
  std::vector<bool> named;    // by NodeId::index(): the change applies to the node
  std::vector<bool> fusable;  // by NodeId::index(): the node is a kernel that can be fused
  double pinned_bytes_per_ns = 0;
};

// Returns the context of a change. `events` must be those of all windows. Adds the assumptions of
// the change to answer.assumed. Sets answer.reason if the change is impossible in this recording.
ChangeContext MakeChangeContext(const Profile& profile, const ReplayEvents& events,
                                const WhatIfChange& change, WhatIfAnswer& answer);

// Applies the change to `model`, a model of `graph`. Each vector of the model must have one entry
// for each node, as ReplayGraph::Unchanged() makes them. Adds to `counts` how many objects of each
// kind ("waiting calls") were changed.
void ApplyChange(const ChangeContext& context, const ReplayGraph& graph, ReplayModel& model,
                 std::map<std::string, int64_t>& counts);

}  // namespace gprofx
