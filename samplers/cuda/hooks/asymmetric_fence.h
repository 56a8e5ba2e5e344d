// Two threads that each write one word and then read the other's need a fence on both sides. Here
// the side that comes by at each launch has none, as it would wait until what the driver wrote has
// arrived at the GPU. The other side comes seldom, and has all threads of the process pass one.
//
// Any thread.
#pragma once

namespace gprofx::cuda {

// From now on, for good (wire::AgentEntry::heavy_fence).
void UseHeavyFence(void (*fence)());
bool FencesAreLight();
// What other threads wrote without a fence is seen from here on, and they see what this thread
// wrote.
void HeavyFence();

}  // namespace gprofx::cuda
