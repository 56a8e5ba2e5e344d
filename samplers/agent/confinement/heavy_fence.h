// Fences for two threads that each write one word and then read the word that the other wrote.
// Normally both sides need a fence. Here one side runs at each CUDA call and uses LightFence, which
// costs nothing. The other side is rare and uses HeavyFence, which makes all threads of the process
// execute a fence (membarrier(2); the pattern of P1202).
//
// Async-signal-safe, any thread.
#pragma once

#include <atomic>

namespace gprofx::agent {

// Makes LightFence free of cost from now on. Returns false if the kernel does not support that or a
// seccomp filter forbids it; LightFence is then a real fence.
bool MakeFencesLight();
// After a HeavyFence this thread sees what other threads wrote before their LightFence, and they
// see what this thread wrote before the HeavyFence after their next LightFence.
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
