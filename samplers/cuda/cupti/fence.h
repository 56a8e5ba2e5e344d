// Determines whether GPUs still use memory of CUPTI.
//
// While CUPTI makes records, it instruments kernels. When it leaves the process, it frees the
// memory that these kernels write to. A kernel that runs at that moment, or is queued behind
// others, may then end the program with a launch failure. A graph that CUPTI instrumented ends the
// program in the same way if it is launched when CUPTI is gone (CUDA 13.0, H200). CUPTI therefore
// leaves only after all GPUs have reached a fence, and stays if the program uses graphs or creates
// its own contexts.
//
// All functions are for our own thread, except those marked "any thread".
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "samplers/cuda/hooks/call_gate.h"

namespace gprofx::cuda {

// Keeps CUPTI in the process for good. Called by any thread before it makes or launches a graph, or
// makes a context.
void KeepCupti();
// True once KeepCupti was called; stays true.
bool CuptiIsKept();

// ContextBegins and ContextEnds record that a context begins or ends. `context` is CUPTI's number
// for it. Any thread.
void ContextBegins(uint32_t context);
void ContextEnds(uint32_t context);
// Called when a record shows work in this context. The context may have been created while CUPTI
// was away.
void SawWorkIn(uint32_t context);
// Called when CUPTI has come back. It is unknown which contexts ended meanwhile, so all are
// forgotten.
void ForgetContexts();

// A point in the work of all GPUs, after everything that the program has submitted so far.
class Fence {
 public:
  // Sets the fence. Called while no records are made and no stream capture can begin unnoticed,
  // because setting the fence would end the capture.
  //
  // The fence is never reached if CUPTI is kept, if there are non-primary contexts, if a context
  // ends meanwhile, or if the driver is older than CUDA 12.5 and lacks the functions.
  void Set();
  bool is_due() const { return state_ == kDue; }
  // If the fence is due, sets it while the gate is closed, because no capture can begin then. Does
  // nothing if the gate cannot be closed within `limit`.
  void SetIfDue(CallGate& gate, std::chrono::nanoseconds limit);
  // True if the fence is set and all GPUs have reached it.
  bool IsReached();
  bool IsReachedWithin(std::chrono::nanoseconds limit);
  // Removes the fence. Called when work with records will be submitted, or when the fence is no
  // longer needed.
  void Clear();

 private:
  // Returns false if a context has ended since the fence was set: its event has ended with it.
  bool EventsAreValid() const;

  enum { kDue, kSet, kUnreachable } state_ = kDue;
  std::vector<CUevent> events_;  // events that the GPUs have not reached yet
  uint32_t ended_ = 0;           // number of ended contexts when the fence was set
};
Fence& TheFence();

}  // namespace gprofx::cuda
