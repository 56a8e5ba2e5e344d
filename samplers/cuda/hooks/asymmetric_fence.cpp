#include "samplers/cuda/hooks/asymmetric_fence.h"

#include <atomic>

namespace gprofx::cuda {
namespace {

std::atomic<void (*)()> g_fence{nullptr};

}  // namespace

void UseHeavyFence(void (*fence)()) { g_fence.store(fence); }
bool FencesAreLight() { return g_fence.load(std::memory_order_relaxed) != nullptr; }

void HeavyFence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (void (*const fence)() = g_fence.load()) fence();
}

}  // namespace gprofx::cuda
