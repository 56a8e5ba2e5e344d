// If two threads each write one word and then read the other's, both sides need a fence. Here the
// side that runs at each CUDA call has none; the rare side makes all threads of the process execute
// one instead (membarrier(2); the pattern of P1202).
//
// Async-signal-safe, any thread.
#pragma once

#include <atomic>

namespace gprofx::agent {

// After this call LightFence costs nothing. Returns false if the kernel lacks the call or a filter
// forbids it.
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
