// Runs in signal handlers. Finds the thread whose backward() call a thread of PyTorch's autograd
// engine works for.
//
// PyTorch runs the backward pass on its own threads, which have no Python frames. The thread that
// called backward() waits meanwhile. Users look for the frames of the waiting thread, so the stack
// of a CUDA call on an engine thread begins with them. They are used only if exactly one thread of
// the process waits in the engine; otherwise it is unknown which one the work belongs to. The
// waiting thread does not run, so its frames do not change, but safe loads are used all the same.
// Async-signal-safe, bounded.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Returns the PyThreadState of the one thread that waits in PyTorch's autograd engine. Returns 0 if
// there is none or more than one. Scans all threads in one of sixteen calls. In the others, assumes
// that the last found thread still waits if its innermost frame is unchanged.
uint64_t ThreadInAutograd(ThreadState* asker);

// True if this code object is the Python function through which backward() enters the engine.
bool EntersAutograd(uint64_t code, const PyLayout& layout);

}  // namespace gprofx::agent
