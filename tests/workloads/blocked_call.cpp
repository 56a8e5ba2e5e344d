// Makes what the GPU side makes of a CUDA call, on a thread that blocks SIGSEGV and SIGBUS, from a
// stack full of addresses that look like code and cannot be read.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>

#include <cstdint>
#include <cstdio>

#include "machine/machine.h"
#include "samplers/wire/agent_entry.h"

// Fills 8 KiB of its stack with `word`, then calls; has no unwind rows.
extern "C" void FillAndCall(uint64_t word, void (*call)());
asm(".text\n.globl FillAndCall\nFillAndCall:\n" GPROFX_FILL_AND_CALL);

namespace {

const gprofx::wire::AgentEntry* g_entry = nullptr;
int g_calls = 0;

void Call() {
  if (g_entry == nullptr) return;
  if (g_entry->begin_call(gprofx::wire::kCallLaunch, 0, 1, g_entry->now()) != 0) ++g_calls;
  g_entry->end_call(gprofx::wire::kCallLaunch, 0);
}

}  // namespace

int main() {
  using namespace gprofx::wire;
  if (void* found = dlsym(RTLD_DEFAULT, kAgentEntryName)) {
    g_entry = reinterpret_cast<AgentEntryFunction>(found)(kAgentEntryVersion);
  }
  sigset_t faults, seen;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, SIGBUS);
  pthread_sigmask(SIG_BLOCK, &faults, nullptr);
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  for (int i = 0; i < 100; ++i) FillAndCall(vdso, Call);
  pthread_sigmask(SIG_BLOCK, nullptr, &seen);
  std::printf("blocked %d\n", sigismember(&seen, SIGSEGV) + sigismember(&seen, SIGBUS));
  return g_entry == nullptr || g_calls == 100 ? 0 : 1;
}
