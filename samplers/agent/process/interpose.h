// The functions of libc that the agent stands in front of, each for one reason, see interpose.cpp.
#pragma once

#include <csignal>
#include <cstdint>

namespace gprofx::agent {

struct ThreadState;

// Looks up the functions behind ours; at load, before any other thread exists.
void ResolveRealFunctions();
int (*RealSigaction())(int, const struct sigaction*, struct sigaction*);

// The soft limit of a stack, or what is large enough where there is none.
uint64_t StackLimit();

// process_end.cpp
void ResolveWait();
void ForgetReaped();  // in a fork child: it has not waited for anyone

}  // namespace gprofx::agent
