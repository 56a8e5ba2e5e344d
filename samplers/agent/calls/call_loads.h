// Makes safe loads (safe_load.h) possible in calls that the program makes: CUDA calls and
// intercepted system calls. A sample checks in its signal handler whether a load may fault. In a
// call, class CallLoads makes that choice.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

// During the lifetime of this object, safe loads of the calling thread cannot kill the process. If
// the program replaced our fault handlers, or if the thread blocks the fault signals, the functions
// copy the memory through the kernel instead of loading it. The caller holds the Scratch
// (scratch.h).
class CallLoads {
 public:
  explicit CallLoads(ThreadState* state)
      : copies_(FaultsWereOurs() && state->blocked_faults == 0 ? nullptr : &state->copies) {}

 private:
  const UseCopies copies_;
};

}  // namespace gprofx::agent
