// What a process of a Python program is for: "worker 3 of 4: pt_data_worker".
//
// A worker has the command line of its parent, or one that only starts it. What it works as is on
// its stacks: the function that multiprocessing runs as the process (the loops of PyTorch's
// DataLoader, of pools and of loky have names), or gunicorn's worker class. Workers of one parent
// and one sort that live at the same time are numbered by their start. Linear in nodes and values.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// By ProcessId::index(); "" = its own name says it. `metric` weighs what a process was seen doing.
std::vector<std::string> ProcessTitles(const Profile& profile, MetricId metric);

}  // namespace gprofx
