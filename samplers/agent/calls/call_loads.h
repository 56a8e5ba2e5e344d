// Safe loads within the program's own calls (CUDA calls, intercepted system calls). Outside a
// handler, nothing has checked yet whether a fault may happen.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

// During its lifetime, the calling thread's safe loads (safe_load.h) cannot kill the process: they
// copy memory if the program replaced our fault handlers, or if the thread blocks the fault
// signals. The caller holds the Scratch (scratch.h).
class CallLoads {
 public:
  explicit CallLoads(ThreadState* state)
      : copies_(FaultsWereOurs() && state->blocked_faults == 0 ? nullptr : &state->copies) {}

 private:
  const UseCopies copies_;
};

}  // namespace gprofx::agent
