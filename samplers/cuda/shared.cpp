#include "samplers/cuda/shared.h"

namespace gprofx::cuda {
namespace {

std::atomic<Shared*> g_shared{nullptr};

}  // namespace

// The first call is made by one thread, before there is a callback.
Shared& TheShared() {
  Shared* shared = g_shared.load(std::memory_order_acquire);
  if (shared != nullptr) return *shared;
  g_shared.store(shared = new Shared, std::memory_order_release);
  return *shared;
}

// What a callback of before still holds stays where it is.
void ForgetShared() { g_shared.store(nullptr, std::memory_order_release); }

}  // namespace gprofx::cuda
