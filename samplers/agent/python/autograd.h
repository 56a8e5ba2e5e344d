// Signal path. Finds the Python frames on whose behalf a thread without Python frames works.
//
// PyTorch runs the backward pass on its own threads, which have no Python frames, while the thread
// that called backward() waits. Users look for the frames of the waiting thread, so the stack of a
// CUDA call on an engine thread begins with them. They are used only if exactly one thread of the
// process waits in the engine; otherwise the owner of the work is unknown. The waiting thread does
// not run, so its frames do not change; loads are safe loads all the same. Async-signal-safe,
// bounded.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Returns the PyThreadState of the one thread that waits in PyTorch's autograd engine; 0 = none or
// several. Scans all threads one time in sixteen; in between, the known thread is assumed to wait
// still if its innermost frame is unchanged.
uint64_t ThreadInAutograd(ThreadState* asker);

// True if this code object is the Python function that enters the engine.
bool EntersAutograd(uint64_t code, const PyLayout& layout);

}  // namespace gprofx::agent
