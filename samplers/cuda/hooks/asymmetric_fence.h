// Memory fences for two threads that each write one word and then read the other's word. Normally
// both sides need a fence. Here the side that runs at each launch has none, because a fence there
// would wait until the driver's writes have arrived at the GPU. The other side is rare; it makes
// all threads of the process execute a full fence.
//
// Any thread.
#pragma once

namespace gprofx::cuda {

// From now on HeavyFence calls `fence` (wire::AgentEntry::heavy_fence), and the other side needs no
// fence.
void UseHeavyFence(void (*fence)());
bool FencesAreLight();
// After it returns, this thread sees what other threads wrote before, and they see what this thread
// wrote. The other threads need no fence.
void HeavyFence();

}  // namespace gprofx::cuda
