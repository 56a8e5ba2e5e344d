// Collects facts about a recording, such as its machine and command. Some must be equal for a valid
// comparison, others should be. Pure.
#pragma once

#include <map>
#include <string>

#include "core/model/profile.h"

namespace gprofx::compare {

using Facts = std::map<std::string, std::string>;  // by name; an unknown fact is absent

inline constexpr char kExitStatus[] = "exit status";  // the name of a workload fact

// Returns the facts about the machine: CPU, GPUs, driver, host, Python version and recording
// settings.
Facts MachineFacts(const Profile& profile);

// Returns the facts about the workload: the command without folders, its exit status, the number of
// processes that use a GPU, and the PyTorch build.
Facts WorkloadFacts(const Profile& profile);

// True if sides can be compared although only one of them knows the fact. Recordings of earlier
// versions and traces of other tools may lack it, or no process has it.
bool MayBeUnknown(const std::string& fact);

}  // namespace gprofx::compare
