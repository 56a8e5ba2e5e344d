// Lets safe loads (safe_load.h) run in calls that the program makes (CUDA calls, intercepted system
// calls). In a signal handler the sampler has checked whether a load may fault; in a call nothing
// has.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

// During its lifetime, safe loads of the calling thread cannot kill the process. If the program
// replaced our fault handlers, or if the thread blocks the fault signals, they copy memory instead
// of loading it. The caller holds the Scratch (scratch.h).
class CallLoads {
 public:
  explicit CallLoads(ThreadState* state)
      : copies_(FaultsWereOurs() && state->blocked_faults == 0 ? nullptr : &state->copies) {}

 private:
  const UseCopies copies_;
};

}  // namespace gprofx::agent
