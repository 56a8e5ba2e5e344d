// Whether GPUs still use what CUPTI holds. It instruments kernels while it makes records, and frees
// what they write to when it leaves: a kernel that runs then, or waits behind others, may end the
// program with a launch failure. Graphs that it instrumented do, once CUPTI is gone (CUDA 13.0,
// H200). So CUPTI leaves when the fence is reached, and stays where graphs are used.
//
// Our own thread, but for GraphIsUsed.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace gprofx::cuda {

// Any thread, before it makes or launches a graph.
void GraphIsUsed();
// Once true, always true.
bool GraphsAreUsed();

// A record tells of work in a context, by CUPTI's number for it.
void SawWorkIn(uint32_t context);

// Stands behind all that the program has given its GPUs.
class Fence {
 public:
  // While no records are made. It is not reached, ever, where graphs are used, where work ran in
  // contexts that only the program knows, and where the driver cannot tell (before CUDA 12.5).
  void Set();
  bool is_due() const { return state_ == kDue; }
  // Set, and passed.
  bool IsReached();
  bool IsReachedWithin(std::chrono::nanoseconds limit);
  // Work with records has been given to GPUs.
  void Clear();

 private:
  enum { kDue, kSet, kUnreachable } state_ = kDue;
  std::vector<CUevent> events_;  // that are not reached yet
};
Fence& TheFence();

}  // namespace gprofx::cuda
