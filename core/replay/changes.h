// Turns changes of a program into a replay model. Used inside core/replay only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/replay/graph.h"
#include "core/replay/what_if.h"

namespace gprofx {

// The meaning of a change in a recording, for all of its windows.
struct ChangeContext {
  const Profile& profile;
  const WhatIfChange& change;
  std::vector<bool> named;    // by NodeId::index(): true if the node lies in what the change names
  std::vector<bool> fusable;  // by NodeId::index(): a kernel that can be fused with others
  double pinned_bytes_per_ns = 0;
};

// `events` are those of all windows. Stores the assumptions of the change in answer.assumed. If the
// change is impossible for this recording, sets answer.reason.
ChangeContext MakeChangeContext(const Profile& profile, const ReplayEvents& events,
                                const WhatIfChange& change, WhatIfAnswer& answer);

// Applies the change to `model`, the model of `graph`. Every vector of the model must have one
// number for each node (ReplayGraph::Unchanged). Adds the number of changed objects to `counts`, by
// kind of object ("waiting calls").
void ApplyChange(const ChangeContext& context, const ReplayGraph& graph, ReplayModel& model,
                 std::map<std::string, int64_t>& counts);

}  // namespace gprofx
