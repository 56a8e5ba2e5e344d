#include "samplers/cuda/hooks/own_line.h"

#include <pthread.h>

#include <atomic>
#include <bit>

#include "samplers/cuda/hooks/asymmetric_fence.h"

namespace gprofx::cuda {
namespace {

std::atomic<uint64_t> g_free{~uint64_t{0}};
static_assert(OwnLine::kLines == 64);

// Takes the lowest free line and returns its number; -1 = none is free.
int32_t TakeFree() {
  uint64_t free = g_free.load();
  while (free != 0 && !g_free.compare_exchange_weak(free, free & (free - 1))) {
  }
  return free == 0 ? -1 : std::countr_zero(free);
}

void Free(int32_t line) { g_free.fetch_or(uint64_t{1} << line); }

}  // namespace

// Called when a thread ends. Releases its line. Code that runs later in the thread may take a line
// again; this function is then called again, because destructors of keys are repeated.
void OwnLine::GiveBack(void* line) {
  t_line = 0;
  Free(static_cast<int32_t>(reinterpret_cast<intptr_t>(line)) - 1);
}

[[gnu::noinline, gnu::cold]] void OwnLine::Take() {
  static const struct Key {
    pthread_key_t key{};
    const bool made = pthread_key_create(&key, GiveBack) == 0;
  } ends;
  t_line = -1;
  const int32_t line = ends.made && FencesAreLight() ? TakeFree() : -1;
  if (line < 0) return;
  t_line = line + 1;
  if (pthread_setspecific(ends.key, reinterpret_cast<void*>(intptr_t{t_line})) == 0) return;
  t_line = -1;
  Free(line);
}

}  // namespace gprofx::cuda
