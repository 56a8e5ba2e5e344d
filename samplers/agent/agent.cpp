// Starts the agent when the loader runs the constructor of its library, and again in each fork
// child. Ends the recording of this process when the process exits normally.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/confinement/unfit.h"
#include "samplers/agent/exec/exec.h"
#include "samplers/agent/process/interpose.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/layers.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/modules.h"
#include "samplers/agent/stacks/rows.h"
#include "samplers/agent/stacks/sampler.h"

extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;

namespace gprofx::agent {
namespace {

// Signals that the thread blocked before the fork. The program may have blocked SIGURG itself; it
// then stays blocked afterwards.
thread_local uint64_t t_blocked_before_fork = 0;
thread_local bool t_sampled_before_fork = false;

void BeforeFork() {
  const InAgent here;
  t_sampled_before_fork = CurrentThread() != nullptr;
  if (Allowed(kNeedMask)) t_blocked_before_fork = ChangeOwnMask(SIG_BLOCK, kTickBit | kAskBit);
}
// Runs in the parent after the fork. Unblocks the signals that were blocked for the fork. A signal
// that arrived meanwhile is delivered at the instruction that unblocks it. Unblocking here puts
// that instruction into our code, which no report shows, instead of into libc.
void AfterForkInParent() {
  if (Allowed(kNeedMask)) ChangeOwnMask(SIG_UNBLOCK, (kTickBit | kAskBit) & ~t_blocked_before_fork);
}

// Runs in the child after the fork. The child starts over, because it inherits no timers and its
// rings belong to the parent. Makes only async-signal-safe calls.
void AfterForkInChild() {
  SetCurrentThread(nullptr);
  InAgent::AfterFork();
  g_python.AfterFork();
  ForgetReaped();
  StartForkChild(t_sampled_before_fork);
  AfterForkInParent();
  if (ThreadState* state = CurrentThread(); state != nullptr)
    NoteMask(state, t_blocked_before_fork);
}

// Registers the three functions above to run at each fork(2). Looks up the registering function at
// run time, because each C library has another one. With a direct reference, the program would not
// start where the loader cannot resolve it.
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
  // Another value forbids joining (seccomp.cpp).
  if (session != nullptr && *session != '/') session = nullptr;
  const int64_t begin = session == nullptr ? 0 : ProcessCpuNs();
  ResolveRealFunctions();
  PrepareExecFunctions();
  if (session == nullptr || !g_session.Attach(session)) return;
  if (const auto reason = WhyLeaveAlone()) return g_session.LeaveAlone(*reason);
  if (!g_session.Begin(begin)) return;
  StartInProcess();
  NoteOwnStack(reinterpret_cast<uint64_t>(__builtin_frame_address(0)), StackLimit());
  ThreadState* state = ClaimThread();
  g_session.Count(wire::kProgramsLoaded);
  g_session.Count(wire::kOwnCpuNs, static_cast<uint64_t>(ProcessCpuNs() - begin));
  StartThisThread(state, ThreadCpuNs());
  AdoptEarlierThreads();
}

// Ends the recording of this process at a normal exit. Other threads may still run; they are
// sampled until the process ends.
__attribute__((destructor)) void Unload() { NoteProcessEnd(); }

}  // namespace

void StartInProcess() {
  g_modules.Start();
  g_rows.Start();
  g_codes.Start();
  g_layers.Start();
  InstallFrontHandlers(RealSigaction());
  static bool known = false;
  if (known) return;  // already done by an earlier recording
  known = true;
  MakeThreadKey();
  RegisterForkHandlers();
}

}  // namespace gprofx::agent
