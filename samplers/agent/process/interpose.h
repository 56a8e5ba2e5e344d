// Declares what other files need of the interposed libc functions. interpose.cpp says why each is
// interposed.
#pragma once

#include <csignal>
#include <cstdint>

namespace gprofx::agent {

struct ThreadState;

// Looks up the real functions that the wrappers call. Called at load, before any other thread
// exists.
void ResolveRealFunctions();
int (*RealSigaction())(int, const struct sigaction*, struct sigaction*);

// Returns the soft limit of the stack size in bytes, or `without` if there is no limit.
uint64_t StackLimit(uint64_t without = uint64_t{1} << 30);

// Looks up the real functions of process_end.cpp.
void ResolveWait();
void ForgetReaped();  // called in a fork child, which has not reaped any child

}  // namespace gprofx::agent
