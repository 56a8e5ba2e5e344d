// Safe loads in the program's own calls (CUDA calls, system calls that we look at): not in a handler,
// so nothing has looked yet whether a fault may happen there.
#pragma once

#include "samplers/agent/safe_load.h"
#include "samplers/agent/signals.h"
#include "samplers/agent/threads.h"

namespace gprofx::agent {

// While one lives, the calling thread's safe loads are safe: memory is copied where the program took
// our fault handlers away; the fault signals are opened where the thread blocks them, or the kernel
// would kill. The caller holds the Scratch.
class CallLoads {
 public:
  explicit CallLoads(ThreadState* state)
      : copies_(FaultsWereOurs() ? nullptr : &state->copies), blocked_(state->blocked_faults) {
    if (blocked_ != 0) ChangeOwnMask(SIG_UNBLOCK, blocked_);
  }
  ~CallLoads() {
    if (blocked_ != 0) ChangeOwnMask(SIG_BLOCK, blocked_);
  }
  CallLoads(const CallLoads&) = delete;
  CallLoads& operator=(const CallLoads&) = delete;

 private:
  const UseCopies copies_;
  const uint64_t blocked_;
};

}  // namespace gprofx::agent
