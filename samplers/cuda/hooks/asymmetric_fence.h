// Asymmetric memory fences. Two threads that each write one word and then read the other's need a
// fence on both sides. Here the side that runs at each launch has none, because a fence there would
// wait until the driver's writes have arrived at the GPU. The other side is rare, and makes all
// threads of the process pass a full fence.
//
// Any thread.
#pragma once

namespace gprofx::cuda {

// Enables light fences for good: from now on HeavyFence calls `fence`
// (wire::AgentEntry::heavy_fence), and the other side has no fence.
void UseHeavyFence(void (*fence)());
bool FencesAreLight();
// After it returns, this thread sees what other threads wrote before without a fence, and they see
// what this thread wrote.
void HeavyFence();

}  // namespace gprofx::cuda
