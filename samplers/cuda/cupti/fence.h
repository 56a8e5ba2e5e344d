// Whether GPUs still use what CUPTI holds. It instruments kernels while it makes records, and frees
// what they write to when it leaves: a kernel that runs then, or waits behind others, may end the
// program with a launch failure. Graphs that it instrumented do, once CUPTI is gone (CUDA 13.0,
// H200). So CUPTI leaves when the fence is reached, and stays where the program uses graphs or
// makes contexts of its own.
//
// Our own thread, but for what is said to be for any.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "samplers/cuda/hooks/call_gate.h"

namespace gprofx::cuda {

// Any thread, before it makes or launches a graph, or makes a context.
void KeepCupti();
// Once true, always true.
bool CuptiIsKept();

// Contexts by CUPTI's numbers. Any thread.
void ContextBegins(uint32_t context);
void ContextEnds(uint32_t context);
// A record tells of work in one, which may have begun while CUPTI was away.
void SawWorkIn(uint32_t context);
// CUPTI has come back: who ended meanwhile is not known.
void ForgetContexts();

// Stands behind all that the program has given its GPUs.
class Fence {
 public:
  // While no records are made, and no capture can begin unseen, which it would end. It is never
  // reached where CUPTI is kept, where there are contexts that are not primary ones, where one ends
  // meanwhile, and where the driver cannot tell (before CUDA 12.5).
  void Set();
  bool is_due() const { return state_ == kDue; }
  // Sets it if it is due and the gate can be closed within `limit`: no capture begins meanwhile.
  void SetIfDue(CallGate& gate, std::chrono::nanoseconds limit);
  // Set, and passed.
  bool IsReached();
  bool IsReachedWithin(std::chrono::nanoseconds limit);
  // Work with records is about to be given to GPUs, or nobody asks any more.
  void Clear();

 private:
  // False: a context has ended, and its event with it.
  bool EventsAreValid() const;

  enum { kDue, kSet, kUnreachable } state_ = kDue;
  std::vector<CUevent> events_;  // that are not reached yet
  uint32_t ended_ = 0;           // contexts, by the time that it was set
};
Fence& TheFence();

}  // namespace gprofx::cuda
