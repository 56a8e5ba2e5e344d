// Runs in signal handlers. Prefetches the memory that a stack walk will read.
//
// A program that works on megabytes of data evicts our data from the caches between samples, and
// much of its own stack and code objects. A walk would miss on one cache line after the other and
// wait for each; of prefetched lines, ten arrive in parallel. The next stack reads mostly what the
// thread's latest stack read. Prefetches never fault and change nothing: a wrong guess costs only
// time. Measured with PyTorch on the CPU, see docs/decisions/0030.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Called when a handler begins. Prefetches the thread's latest stack, the memory that it was read
// from, and the counters.
void WarmUp(const ThreadState& state);

// Prefetches the code objects of the frames in which a Python thread is now. Reads only the frames
// themselves, by safe loads.
void WarmUpPython(uint64_t python_thread);

// Prefetches the PyTorch modules that a stack calls.
void WarmUpLayers(const LayerCalls& layers);

}  // namespace gprofx::agent
