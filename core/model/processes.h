// Which rows of `process` are one process. A process that became another program by exec has a row
// for each: the same number, and the next begins at the nanosecond in which the one before ended.
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// For each row its process's last program, which is what the process is known by: a row of its own
// number for a process with one program.
std::vector<ProcessId> LastPrograms(const Profile& profile);

size_t CountProcesses(const Profile& profile);

}  // namespace gprofx
