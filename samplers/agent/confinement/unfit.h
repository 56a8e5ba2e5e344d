// Detects programs that the agent was loaded into but must not sample.
#pragma once

#include <optional>

#include "samplers/wire/not_sampled.h"

namespace gprofx::agent {

// Returns why this program must not be sampled, or nullopt if it may be. Called at load, before any
// code of the program runs.
std::optional<wire::NotSampled> WhyLeaveAlone();

// True if valgrind interprets this process. Works without the environment.
bool UnderValgrind();

}  // namespace gprofx::agent
