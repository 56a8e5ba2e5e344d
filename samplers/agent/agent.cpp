// Start of the agent in a process: at load (constructor), in fork children, and its end at a normal
// exit.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "samplers/agent/interpose.h"
#include "samplers/agent/modules.h"
#include "samplers/agent/process.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/sampler.h"
#include "samplers/agent/session.h"
#include "samplers/agent/signals.h"
#include "samplers/agent/threads.h"

namespace gprofx::agent {
namespace {

void BeforeFork() { SetSamplingSignals(SIG_BLOCK); }
// The signals of the time in fork come at the instruction that lets them through: it must be one of
// ours, which no report shows, and not one of libc's.
void AfterForkInParent() {
  uint64_t bits = uint64_t{1} << (SIGPROF - 1) | uint64_t{1} << (SIGTRAP - 1);
  long result = SYS_rt_sigprocmask;
  register long bytes asm("r10") = sizeof(bits);
  asm volatile("syscall"
               : "+a"(result)
               : "D"(long{SIG_UNBLOCK}), "S"(&bits), "d"(0L), "r"(bytes)
               : "rcx", "r11", "memory");
}

// Timers do not survive a fork, and the parent's rings are not ours: begin again. Only
// async-signal-safe calls.
void AfterForkInChild() {
  bool was_sampled = CurrentThread() != nullptr;
  SetCurrentThread(nullptr);
  StartForkChild(was_sampled);
  SetSamplingSignals(SIG_UNBLOCK);
}

__attribute__((constructor)) void Load() {
  const char* path = getenv(wire::kSessionVariable);
  const int64_t begin = path == nullptr ? 0 : ProcessCpuNs();
  ResolveRealFunctions();
  if (path == nullptr || !g_session.Join(path, begin)) return;
  g_modules.Start();
  g_codes.Start();
  InstallFrontHandlers(RealSigaction());
  MakeThreadKey();
  pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
  ThreadState* state = ClaimThread();
  g_session.Count(wire::kOwnCpuNs, static_cast<uint64_t>(ProcessCpuNs() - begin));
  StartThisThread(state, ThreadCpuNs());
}

// The last word at a normal exit; threads may still run and are sampled to the end.
__attribute__((destructor)) void Unload() { NoteProcessEnd(); }

}  // namespace
}  // namespace gprofx::agent
