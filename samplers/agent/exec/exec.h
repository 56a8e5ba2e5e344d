// Interposes the exec family. A program in which the agent cannot run starts as it would without
// us, and is counted.
#pragma once

namespace gprofx::agent {

// Looks up the real functions and saves our LD_PRELOAD entries. Called at load, because a vfork
// child must not do either.
void PrepareExecFunctions();

}  // namespace gprofx::agent
