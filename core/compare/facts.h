// Facts that must be equal for a valid comparison, and facts that should be. Pure.
#pragma once

#include <map>
#include <string>

#include "core/model/profile.h"

namespace gprofx::compare {

using Facts = std::map<std::string, std::string>;  // name -> value; unknown facts are absent

inline constexpr char kExitStatus[] = "exit status";  // a workload fact

// CPU and GPUs, driver, host, Python version, recording settings.
Facts MachineFacts(const Profile& profile);

// The command with the folders of its words removed, its exit status, the number of processes that
// use a GPU, the PyTorch build.
Facts WorkloadFacts(const Profile& profile);

// True if the sides remain comparable when only one of them knows the fact. Recordings of earlier
// versions and traces of other tools lack such a fact, or no process has it.
bool MayBeUnknown(const std::string& fact);

}  // namespace gprofx::compare
