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
  std::vector<bool> named;    // by NodeId::index(): lies in what the change names
  std::vector<bool> fusable;  // by NodeId::index(): a kernel that can be fused with others
  double pinned_bytes_per_ns = 0;
};

// `events`: of all windows. Stores the assumptions in `answer`, or its reason if the change is
// impossible.
ChangeContext MakeChangeContext(const Profile& profile, const ReplayEvents& events,
                                const WhatIfChange& change, WhatIfAnswer& answer);

// Applies the change to the model of a graph; the model has a number for each node. Increments
// `counts` by kind of changed object.
void ApplyChange(const ChangeContext& context, const ReplayGraph& graph, ReplayModel& model,
                 std::map<std::string, int64_t>& counts);

}  // namespace gprofx
