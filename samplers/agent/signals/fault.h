// Runs in signal handlers. The part of safe loads (safe_load.h) that runs in the handler of SIGSEGV
// and SIGBUS.
#pragma once

#include <csignal>

namespace gprofx::agent {

// If the fault is that of a safe load, sets the context to the instruction where the load reports
// failure, and returns true. The handler must then return at once. Returns false if the fault
// belongs to the program. Async-signal-safe, any thread.
bool ResumeSafeLoad(void* ucontext);

}  // namespace gprofx::agent
