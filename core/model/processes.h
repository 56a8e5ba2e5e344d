// Finds the rows of `process` that are one process. A process that called exec has one row per
// program: all have the same pid, and each begins at the nanosecond in which the previous one
// ended. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Maps each row to the last program of its process, which identifies the process. A row of a
// process with only one program maps to itself.
std::vector<ProcessId> LastPrograms(const Profile& profile);

size_t CountProcesses(const Profile& profile);

}  // namespace gprofx
