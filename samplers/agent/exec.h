// The exec family, interposed: a program that the agent cannot be in starts as it would without us,
// and is counted.
#pragma once

namespace gprofx::agent {

// Looks up the functions behind ours; at load, because a vfork child may not.
void ResolveExecFunctions();

// Runs in the thread that calls exec, right before the call: the last word of this program. Also in
// vfork children, which may not write to the process's memory.
inline void BeforeExec() {}

}  // namespace gprofx::agent
