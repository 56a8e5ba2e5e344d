// Determines whether GPUs still use memory of CUPTI. CUPTI instruments kernels while it makes
// records, and frees the memory that they write to when it leaves. A kernel that runs at that
// moment, or is queued behind others, may end the program with a launch failure. A graph that CUPTI
// instrumented ends the program in the same way if it is launched once CUPTI is gone (CUDA 13.0,
// H200). CUPTI therefore leaves only when the fence is reached, and stays if the program uses
// graphs or creates its own contexts.
//
// Our own thread, except functions marked "any thread".
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "samplers/cuda/hooks/call_gate.h"

namespace gprofx::cuda {

// Keeps CUPTI in the process for good. Any thread, before it makes or launches a graph, or makes a
// context.
void KeepCupti();
// True once KeepCupti was called; stays true.
bool CuptiIsKept();

// Contexts, by CUPTI's numbers. Any thread.
void ContextBegins(uint32_t context);
void ContextEnds(uint32_t context);
// A record shows work in this context, which may have been created while CUPTI was away.
void SawWorkIn(uint32_t context);
// Call it when CUPTI has come back: contexts that ended meanwhile are unknown.
void ForgetContexts();

// A fence behind all work that the program has submitted to its GPUs.
class Fence {
 public:
  // Sets the fence. Call it while no records are made and no stream capture can begin unseen,
  // because setting the fence would end the capture. The fence is never reached in these cases:
  // CUPTI is kept, there are non-primary contexts, a context ends meanwhile, or the driver is older
  // than CUDA 12.5 and lacks the functions for it.
  void Set();
  bool is_due() const { return state_ == kDue; }
  // Sets the fence if it is due and the gate can be closed within `limit`; no capture begins
  // meanwhile.
  void SetIfDue(CallGate& gate, std::chrono::nanoseconds limit);
  // True if the fence is set and reached.
  bool IsReached();
  bool IsReachedWithin(std::chrono::nanoseconds limit);
  // Call it when work with records is about to be submitted, or the fence is no longer needed.
  void Clear();

 private:
  // Returns false if a context has ended, and its event with it.
  bool EventsAreValid() const;

  enum { kDue, kSet, kUnreachable } state_ = kDue;
  std::vector<CUevent> events_;  // not reached yet
  uint32_t ended_ = 0;           // number of ended contexts when the fence was set
};
Fence& TheFence();

}  // namespace gprofx::cuda
