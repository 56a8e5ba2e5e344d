// Safe loads in the program's own calls (CUDA calls, system calls that we look at): not in a
// handler, so nothing has looked yet whether a fault may happen there.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

// While one lives, the calling thread's safe loads are safe: memory is copied where the program
// took our fault handlers away, or where the thread blocks the fault signals and the kernel would
// kill. The caller holds the Scratch.
class CallLoads {
 public:
  explicit CallLoads(ThreadState* state)
      : copies_(FaultsWereOurs() && state->blocked_faults == 0 ? nullptr : &state->copies) {}

 private:
  const UseCopies copies_;
};

}  // namespace gprofx::agent
