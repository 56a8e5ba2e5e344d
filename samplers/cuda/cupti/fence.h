// Determines whether GPUs still use memory of CUPTI. While CUPTI makes records, it instruments
// kernels. When it leaves the process, it frees the memory that these kernels write to. A kernel
// that runs at that moment, or is queued behind others, may then end the program with a launch
// failure. A graph that CUPTI instrumented ends the program in the same way if it is launched when
// CUPTI is gone (CUDA 13.0, H200). CUPTI therefore leaves only after all GPUs have reached a fence,
// and stays if the program uses graphs or creates its own contexts.
//
// For our own thread, except functions marked "any thread".
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "samplers/cuda/hooks/call_gate.h"

namespace gprofx::cuda {

// Keeps CUPTI in the process for good. Called on any thread before it makes or launches a graph or
// makes a context.
void KeepCupti();
// True once KeepCupti was called; stays true.
bool CuptiIsKept();

// ContextBegins and ContextEnds note that a context, by CUPTI's number, begins or ends. Any thread.
void ContextBegins(uint32_t context);
void ContextEnds(uint32_t context);
// Notes that a record shows work in this context, which may have been created while CUPTI was away.
void SawWorkIn(uint32_t context);
// Call it when CUPTI has come back. Contexts that ended meanwhile are unknown.
void ForgetContexts();

// A fence after all work that the program has submitted to its GPUs.
class Fence {
 public:
  // Sets the fence. Call it while no records are made and no stream capture can begin unnoticed:
  // setting the fence would end the capture. In these cases the fence is never reached: CUPTI is
  // kept, there are non-primary contexts, a context ends meanwhile, or the driver is older than
  // CUDA 12.5 and lacks the functions.
  void Set();
  bool is_due() const { return state_ == kDue; }
  // Sets the fence if it is due and the gate can be closed within `limit`. No capture can begin
  // while the gate is closed.
  void SetIfDue(CallGate& gate, std::chrono::nanoseconds limit);
  // True if the fence is set and reached.
  bool IsReached();
  bool IsReachedWithin(std::chrono::nanoseconds limit);
  // Call it when work with records will be submitted, or when the fence is no longer needed.
  void Clear();

 private:
  // Returns false if a context has ended, and with it its event.
  bool EventsAreValid() const;

  enum { kDue, kSet, kUnreachable } state_ = kDue;
  std::vector<CUevent> events_;  // events that are not reached yet
  uint32_t ended_ = 0;           // number of ended contexts when the fence was set
};
Fence& TheFence();

}  // namespace gprofx::cuda
