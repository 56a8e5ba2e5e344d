// Signal path. A fault that the program does not handle ends it: what the recorder tells about it
// is noted before. Only the first of a process, and none of a child that runs in its parent's
// memory or has no region of its own yet. Async-signal-safe, any thread. The fault may lie within a
// sample: it waits for nothing that one could hold, and what it shares with samples is lock-free.
#pragma once

#include <csignal>

namespace gprofx::agent {

// Called in the handler of SIGSEGV or SIGBUS, with all signals blocked, for faults that the kernel
// reports (si_code above 0). Another thread's fault is waited for, 20 ms at most: the kernel would
// end the process before its stack is noted.
void NoteFatalFault(int signal, const siginfo_t& info, const void* ucontext);

}  // namespace gprofx::agent
