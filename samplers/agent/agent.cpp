// Start of the agent in a process: at load (constructor), in fork children, and its end at a normal
// exit.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "samplers/agent/exec.h"
#include "samplers/agent/interpose.h"
#include "samplers/agent/limits.h"
#include "samplers/agent/modules.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/raw_syscall.h"
#include "samplers/agent/sampler.h"
#include "samplers/agent/session.h"
#include "samplers/agent/signals.h"
#include "samplers/agent/threads.h"
#include "samplers/agent/unfit.h"

extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;

namespace gprofx::agent {
namespace {

pthread_key_t g_end_key;

void StartThisThread(ThreadState* state) {
  if (state == nullptr) return;
  SetCurrentThread(state);
  BeginThread(state);
  pthread_setspecific(g_end_key, state);
}

void EndThisThread(void* value) {
  SetCurrentThread(nullptr);
  EndThread(static_cast<ThreadState*>(value));
}

// A program that handles the signal itself may have blocked it around its fork.
thread_local uint64_t t_blocked_before_fork = 0;

void BeforeFork() {
  if (Allowed(kNeedMask)) t_blocked_before_fork = ChangeOwnMask(SIG_BLOCK, SamplingBit());
}
void AfterForkInParent() {
  if (Allowed(kNeedMask)) ChangeOwnMask(SIG_UNBLOCK, SamplingBit() & ~t_blocked_before_fork);
}

// Timers do not survive a fork, and the parent's rings are not ours: begin again. Only
// async-signal-safe calls.
void AfterForkInChild() {
  bool was_sampled = CurrentThread() != nullptr;
  SetCurrentThread(nullptr);
  ForgetThreads();
  g_python.AfterFork();
  pthread_setspecific(g_end_key, nullptr);
  if (!Allowed(kNeedFiles | kNeedNewThread)) {
    g_session.Leave();
  } else if (g_session.Rejoin()) {
    g_modules.Start();
    g_codes.Start();
    if (was_sampled) StartThisThread(ClaimThread());
  }
  AfterForkInParent();
}

// By name, because each C library has it under another one: a reference that the loader cannot
// resolve would keep the program from starting.
void RegisterForkHandlers() {
  using Glibc = int (*)(void (*)(), void (*)(), void (*)(), void*);
  using Posix = int (*)(void (*)(), void (*)(), void (*)());
  if (auto in_glibc = reinterpret_cast<Glibc>(dlsym(RTLD_DEFAULT, "__register_atfork"))) {
    in_glibc(BeforeFork, AfterForkInParent, AfterForkInChild, &__dso_handle);
  } else if (auto posix = reinterpret_cast<Posix>(dlsym(RTLD_DEFAULT, "pthread_atfork"))) {
    posix(BeforeFork, AfterForkInParent, AfterForkInChild);
  }
}

__attribute__((constructor)) void Load() {
  const char* session = getenv(wire::kSessionVariable);
  ResolveRealFunctions();
  ResolveExecFunctions();
  if (session == nullptr || !g_session.Attach(session)) return;
  if (const auto reason = WhyLeaveAlone()) return g_session.LeaveAlone(*reason);
  if (!g_session.Begin()) return;
  g_modules.Start();
  g_codes.Start();
  InstallFrontHandlers(RealSigaction());
  pthread_key_create(&g_end_key, EndThisThread);
  RegisterForkHandlers();
  StartThisThread(ClaimThread());
}

// The main thread's last word at a normal exit; other threads may still run and are sampled to the
// end.
__attribute__((destructor)) void Unload() {
  if (!g_session.joined()) return;
  g_session.header().end_announced.store(1);
  ThreadState* state = CurrentThread();
  if (state == nullptr || !Allowed(kNeedSampling | kNeedThread)) return;
  if (state->tid == static_cast<int32_t>(RawSyscall(SYS_gettid))) {
    state->ring->last_cpu_ns.store(ThreadCpuNs(), std::memory_order_relaxed);
  }
}

}  // namespace

void RunAsSampledThread(ThreadState* state) { StartThisThread(state); }

void StopThisThread() {
  ThreadState* state = CurrentThread();
  if (state == nullptr) return;
  pthread_setspecific(g_end_key, nullptr);
  const bool counts = state->perf_armed;
  EndThisThread(state);
  // The collector closes the event later; until then it could send a signal.
  if (counts) RawSyscall(SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE);
}

void StartThisThreadAgain() { StartThisThread(ClaimThread()); }

}  // namespace gprofx::agent
