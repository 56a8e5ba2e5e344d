// Runs in signal handlers. Records a fault that is about to end the program; the recorder then
// reports it. Only the first fault of a process is recorded. No fault is recorded for a child that
// runs in its parent's memory or has no region yet.
//
// Async-signal-safe, any thread. The fault may occur within a sample. Therefore this code waits for
// nothing that a sample could hold, and all state that it shares with samples is lock-free.
#pragma once

#include <csignal>

namespace gprofx::agent {

// Called in the handler of SIGSEGV or SIGBUS, with all signals blocked, for faults that the kernel
// reports (si_code above 0). If another thread is recording a fault, waits until it has finished,
// at most 20 ms. Without that, the kernel could end the process before the other thread's stack is
// recorded.
void NoteFatalFault(int signal, const siginfo_t& info, const void* ucontext);

}  // namespace gprofx::agent
