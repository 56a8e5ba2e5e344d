// The libc functions that the agent interposes. interpose.cpp gives the reason for each.
#pragma once

#include <csignal>
#include <cstdint>

namespace gprofx::agent {

struct ThreadState;

// Resolves the real functions. Called at load, before any other thread exists.
void ResolveRealFunctions();
int (*RealSigaction())(int, const struct sigaction*, struct sigaction*);

// Returns the soft limit of a stack, or a value that is large enough if there is no limit.
uint64_t StackLimit(uint64_t without = uint64_t{1} << 30);

// process_end.cpp
void ResolveWait();
void ForgetReaped();  // in a fork child: it has not reaped any child

}  // namespace gprofx::agent
