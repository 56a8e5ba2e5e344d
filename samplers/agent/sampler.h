// Signal path. One sample: native walk, Python walk, merge, intern, append to the ring.
#pragma once

#include <csignal>

namespace gprofx::agent {

struct ThreadState;

// True if the signal was one of ours (whether or not it became a sample). Async-signal-safe; 1.3
// to 2.5 us.
bool HandleSamplingSignal(siginfo_t* info, void* ucontext);

// The state of the calling thread, for signals that carry no cookie (O_ASYNC).
void SetCurrentThread(ThreadState* state);
ThreadState* CurrentThread();

}  // namespace gprofx::agent
