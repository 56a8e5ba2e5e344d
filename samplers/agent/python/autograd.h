// Signal path. The Python frames that a thread without any works for.
//
// PyTorch runs the backward pass on threads of its own, which have no Python frames; the thread
// that called backward() waits meanwhile. Its frames are what a reader looks for, so the stack of a
// CUDA call on such a thread begins with them. Taken only if exactly one thread of the process
// waits in the engine: else nobody knows whose work it is. The waiting thread does not run, so its
// frames hold still; every load is a safe one all the same. Async-signal-safe, bounded.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// The PyThreadState of the one thread that waits in PyTorch's autograd engine; 0 = none, or
// several. Looks through all threads one time in sixteen: between, the thread that waited still
// does if its innermost frame is the same.
uint64_t ThreadInAutograd(ThreadState* asker);

// Is this code object the Python function that enters the engine?
bool EntersAutograd(uint64_t code, const PyLayout& layout);

}  // namespace gprofx::agent
