#include "samplers/agent/confinement/heavy_fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"

namespace gprofx::agent {
namespace {

bool Membarrier(int command) { return RawSyscall(SYS_membarrier, command) == 0; }

// Makes all threads of the process execute a fence by membarrier(2). Returns false if the kernel
// does not support that or a seccomp filter forbids it. A process must register once before it may
// use membarrier(2), and a fork child may have to register again.
bool AllPassAFence() {
  return Allowed(kNeedFence) && (Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
                                 (Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
                                  Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)));
}

// Waits so long that all earlier writes of this thread and of others are visible to every
// processor. Used where a seccomp filter forbids membarrier(2). Makes no system call.
void WaitForWrites() {
  static std::atomic<uint32_t> turns{0};
  for (int turn = 0; turn < 10'000; ++turn) turns.fetch_add(1);
}

}  // namespace

std::atomic<bool> g_fences_are_light{false};

bool MakeFencesLight() {
  if (AllPassAFence()) g_fences_are_light.store(true);
  return g_fences_are_light.load();
}

void HeavyFence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (g_fences_are_light.load() && !AllPassAFence()) WaitForWrites();
}

}  // namespace gprofx::agent
