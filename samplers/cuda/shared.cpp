#include "samplers/cuda/shared.h"

namespace gprofx::cuda {
namespace {

std::atomic<Shared*> g_shared{nullptr};

}  // namespace

// Needs no lock. Only one thread makes the first call, before any callback exists.
Shared& TheShared() {
  Shared* shared = g_shared.load(std::memory_order_acquire);
  if (shared != nullptr) return *shared;
  g_shared.store(shared = new Shared, std::memory_order_release);
  return *shared;
}

// The old object is not freed, because a callback of the previous recording may still use it.
void ForgetShared() { g_shared.store(nullptr, std::memory_order_release); }

}  // namespace gprofx::cuda
