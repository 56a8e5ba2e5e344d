// Memory fences for two threads that each write one word and then read the other's word. Normally
// both threads need a full fence. Here the side that runs at each launch has none, because a fence
// there would wait until the driver's writes have arrived at the GPU. The other side runs rarely;
// it makes all threads of the process execute a full fence.
//
// Any thread.
#pragma once

namespace gprofx::cuda {

// Sets the function that HeavyFence calls from now on (wire::AgentEntry::heavy_fence). The side
// that runs at each launch then needs no fence.
void UseHeavyFence(void (*fence)());
bool FencesAreLight();
// Makes all threads execute a fence. Afterwards this thread sees what other threads wrote before,
// and they see what this thread wrote. The other threads need no fence of their own.
void HeavyFence();

}  // namespace gprofx::cuda
