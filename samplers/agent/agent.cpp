// Start of the agent in a process: at load (constructor), in fork children, and its end at a normal
// exit.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "samplers/agent/exec.h"
#include "samplers/agent/interpose.h"
#include "samplers/agent/modules.h"
#include "samplers/agent/python/codes.h"
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

void BeforeFork() { SetSamplingSignals(SIG_BLOCK); }
void AfterForkInParent() { SetSamplingSignals(SIG_UNBLOCK); }

// Timers do not survive a fork, and the parent's rings are not ours: begin again. Only
// async-signal-safe calls.
void AfterForkInChild() {
  bool was_sampled = CurrentThread() != nullptr;
  SetCurrentThread(nullptr);
  ForgetThreads();
  pthread_setspecific(g_end_key, nullptr);
  if (g_session.Rejoin()) {
    g_modules.Start();
    g_codes.Start();
    if (was_sampled) StartThisThread(ClaimThread());
  }
  SetSamplingSignals(SIG_UNBLOCK);
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
  if (state != nullptr && state->tid == static_cast<int32_t>(syscall(SYS_gettid))) {
    state->ring->last_cpu_ns.store(ThreadCpuNs(), std::memory_order_relaxed);
  }
}

}  // namespace

void RunAsSampledThread(ThreadState* state) { StartThisThread(state); }

}  // namespace gprofx::agent
