// The interposed exec family. A program that the agent cannot run in starts as it would without us,
// and is counted.
#pragma once

namespace gprofx::agent {

// Resolves the real functions and saves our LD_PRELOAD entries. Called at load, because a vfork
// child must not do either.
void PrepareExecFunctions();

}  // namespace gprofx::agent
