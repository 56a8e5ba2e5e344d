// The functions of libc that the agent stands in front of, each for one reason, see interpose.cpp.
#pragma once

#include <csignal>

namespace gprofx::agent {

struct ThreadState;

// Looks up the functions behind ours; at load, before any other thread exists.
void ResolveRealFunctions();
int (*RealSigaction())(int, const struct sigaction*, struct sigaction*);

// Begins sampling of the calling, new thread (agent.cpp).
void RunAsSampledThread(ThreadState* state);
// Ends sampling of the calling thread while it runs on, and begins it again (agent.cpp).
void StopThisThread();
void StartThisThreadAgain();

}  // namespace gprofx::agent
