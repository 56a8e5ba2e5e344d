// What must be equal for a comparison to mean anything, and what should be. Pure.
#pragma once

#include <map>
#include <string>

#include "core/model/profile.h"

namespace gprofx::compare {

using Facts = std::map<std::string, std::string>;  // name -> value; what is not known is not there

inline constexpr char kExitStatus[] = "exit status";  // a workload fact

// CPU and GPUs, driver, host, Python's version, how it was recorded.
Facts MachineFacts(const Profile& profile);

// The command without the folders of its words, its exit status, how many processes use a GPU, the
// build of PyTorch.
Facts WorkloadFacts(const Profile& profile);

// Whether it may be unknown of one side and nothing follows: recordings of an earlier version and
// traces of other tools do not say it, or no process of it had one.
bool MayBeUnknown(const std::string& fact);

}  // namespace gprofx::compare
