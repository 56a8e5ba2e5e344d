// Signal path. A fault that the program does not handle ends it: what the recorder tells about it is
// noted before. Only the first of a process. Async-signal-safe, any thread; touches nothing that
// samples use, as the fault may lie within one.
#pragma once

#include <csignal>

namespace gprofx::agent {

// Called in the handler of SIGSEGV or SIGBUS, with all signals blocked, for faults that the kernel
// reports (si_code above 0).
void NoteFatalFault(int signal, const siginfo_t& info, const void* ucontext);

}  // namespace gprofx::agent
