// The exec family, interposed: a program that the agent cannot be in starts as it would without us,
// and is counted.
#pragma once

namespace gprofx::agent {

// Looks up the functions behind ours, and reads how we were loaded; at load, because a vfork child
// may not.
void PrepareExecFunctions();

}  // namespace gprofx::agent
