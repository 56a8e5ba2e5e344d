// Signal path. Asks for the memory that a stack will read, before it does.
//
// A program that works on megabytes leaves none of ours in the caches from one sample to the next,
// and hardly its own stack and code objects. A walk that meets them one after the other waits for
// each; asked for together they come ten at a time. What the thread's latest stack read is mostly
// what the next one reads. Prefetches never fault and change nothing: what is wrong here costs time
// only. Measured with PyTorch on the CPU, see CONTRIBUTING.md.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// At the begin of a handler: the thread's latest stack, the stack that it was read from, and the
// counters.
void WarmUp(const ThreadState& state);

// The code objects of a Python thread's present frames, by safe loads of the frames alone.
void WarmUpPython(uint64_t python_thread);

// The modules of PyTorch that a stack calls.
void WarmUpLayers(const LayerCalls& layers);

}  // namespace gprofx::agent
