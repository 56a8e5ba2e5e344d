// Starts the agent when its library is loaded (constructor) and in fork children. Ends the
// recording of this process at a normal exit.
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
// Runs in the parent after the fork. Signals that arrived during the fork are delivered at the
// instruction that unblocks them. That instruction is in our code, which no report shows, and not
// in libc.
void AfterForkInParent() {
  if (Allowed(kNeedMask)) ChangeOwnMask(SIG_UNBLOCK, (kTickBit | kAskBit) & ~t_blocked_before_fork);
}

// Runs in the child after the fork. Timers do not survive a fork and the rings belong to the
// parent, so the child starts over. Makes only async-signal-safe calls.
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

// Registers the three functions above for fork(2). The registering function has another name in
// each C library, so it is looked up at run time: if the loader could not resolve a direct
// reference, the program would not start.
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
  if (session != nullptr && *session != '/') session = nullptr;  // forbidden (seccomp.cpp)
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

// Ends the recording of this process at a normal exit. Other threads may still run and are sampled
// to the end.
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
