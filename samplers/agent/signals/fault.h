// Runs in signal handlers. Implements the part of safe loads (safe_load.h) that runs in the handler
// of SIGSEGV and SIGBUS.
#pragma once

#include <csignal>

namespace gprofx::agent {

// Called with the context of a fault. If the instruction that faulted is a safe load, makes the
// thread continue where that load reports failure, and returns true. The handler must then return
// at once. Returns false if the fault belongs to the program. Async-signal-safe, any thread.
bool ResumeSafeLoad(void* ucontext);

}  // namespace gprofx::agent
