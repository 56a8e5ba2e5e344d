// Fences for two threads that each write one word and then read the word that the other wrote.
// Normally both threads need a full fence. Here one side runs at each CUDA call. It uses
// LightFence, which costs nothing. The other side runs rarely. It uses HeavyFence, which makes all
// threads of the process execute a fence (membarrier(2); the pattern of P1202).
//
// All functions are async-signal-safe and may be called from any thread.
#pragma once

#include <atomic>

namespace gprofx::agent {

// Makes LightFence cost nothing from now on. Returns false if the kernel does not support
// membarrier(2) or a seccomp filter forbids it. LightFence then stays a real fence.
bool MakeFencesLight();
// Executes a fence in all threads. Afterwards this thread sees what other threads wrote before
// their LightFence. What this thread wrote before the call is visible to other threads after their
// next LightFence.
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
