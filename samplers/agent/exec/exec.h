// The interposed exec family. If the agent cannot run in the program that is started, the program
// starts as it would without us, and is counted.
#pragma once

namespace gprofx::agent {

// Resolves the real functions and saves our LD_PRELOAD entries. Called at load, because a vfork
// child must not do either.
void PrepareExecFunctions();

}  // namespace gprofx::agent
