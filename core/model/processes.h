// Finds the rows of the table `process` that describe one process. A process that called exec has
// one row per program. These rows have the same pid, and each begins at the nanosecond in which the
// previous one ended. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns, by ProcessId::index(), the row of the last program of the same process. That row
// identifies the process. A row maps to itself if its process had no later program.
std::vector<ProcessId> LastPrograms(const Profile& profile);

size_t CountProcesses(const Profile& profile);

}  // namespace gprofx
