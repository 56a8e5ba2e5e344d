// Changes of a program as a model of a replay. Used inside core/replay only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/replay/graph.h"
#include "core/replay/what_if.h"

namespace gprofx {

// What a change means in a recording, for all of its windows.
struct ChangeContext {
  const Profile& profile;
  const WhatIfChange& change;
  std::vector<bool> named;    // by NodeId::index(): lies in what the change names
  std::vector<bool> fusable;  // by NodeId::index(): a kernel that can be a part of another
  double pinned_bytes_per_ns = 0;
};

// `events`: of all windows. `answer` gets what is assumed; its reason where the change cannot be
// made.
ChangeContext MakeChangeContext(const Profile& profile, const ReplayEvents& events,
                                const WhatIfChange& change, WhatIfAnswer& answer);

// Changes the model of a graph, which has a number for each node. Counts by what was changed.
void ApplyChange(const ChangeContext& context, const ReplayGraph& graph, ReplayModel& model,
                 std::map<std::string, int64_t>& counts);

}  // namespace gprofx
