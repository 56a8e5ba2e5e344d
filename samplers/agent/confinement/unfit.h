// Programs that the agent finds itself in and must leave alone.
#pragma once

#include <optional>

#include "samplers/wire/not_sampled.h"

namespace gprofx::agent {

// Why this program must not be sampled; at load, before anything of it ran. None: it may be.
std::optional<wire::NotSampled> WhyLeaveAlone();

// Is the code that runs here interpreted by valgrind? True in it, whatever the environment says.
bool UnderValgrind();

}  // namespace gprofx::agent
