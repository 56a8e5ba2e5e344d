// Signal path. The half of safe_load.h that lives in the SIGSEGV and SIGBUS handler.
#pragma once

#include <csignal>

namespace gprofx::agent {

// If the fault is one of our safe loads, moves the context to its landing and returns true: the
// handler must then return at once. False: the fault belongs to the program. Async-signal-safe, any
// thread.
bool ResumeSafeLoad(void* ucontext);

}  // namespace gprofx::agent
