// Two threads that each write one word and then read the other's need a fence on both sides. Here
// the side that comes by at each CUDA call has none, and the one that comes seldom makes all
// threads of the process pass one (membarrier(2); the pattern of P1202).
//
// Async-signal-safe, any thread.
#pragma once

#include <atomic>

namespace gprofx::agent {

// From now on LightFence costs nothing. False: the kernel has no such call, or a filter forbids it.
bool MakeFencesLight();
// What other threads wrote before a LightFence is seen from here on, and behind theirs they see
// what this thread wrote.
void HeavyFence();

extern std::atomic<bool> g_fences_are_light;

inline void LightFence() {
  if (g_fences_are_light.load(std::memory_order_relaxed)) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

}  // namespace gprofx::agent
