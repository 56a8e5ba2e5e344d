// Describes the role of a process of a Python program: "worker 3 of 4: pt_data_worker".
//
// The command line of a worker does not show its role, because it is that of its parent or of a
// starter. Its stacks show it: they contain the function that multiprocessing runs as the process,
// or gunicorn's worker class. The worker loops of PyTorch's DataLoader, of pools and of loky have
// known names. Workers of the same parent and role that live at the same time are numbered by
// start. Linear in nodes and values. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns the title of each process, by ProcessId::index(); "" if the process's own name is enough.
// A process gets the role with most time in `metric`.
std::vector<std::string> ProcessTitles(const Profile& profile, MetricId metric);

}  // namespace gprofx
