// Interposes functions of libc. Each wrapper calls the real function exactly once and changes
// nothing that the program can see.
//
//   pthread_create            gives the new thread a ring and a timer
//   thrd_create, pthread_cancel
//                             reclaim the tick signal (signals.h)
//   pthread_setname_np        reports the name: the collector reads names only now and then
//   dlclose                   discards unwind rows and the interpreter of what was unmapped
//   sigaction, signal, ...    keep our front handlers in place for the shared signals, and show the
//                             program its own; also rt_sigaction(2) through syscall(2): Chromium
//                             resets all signals this way between fork and exec, where the first
//                             signal of a fork child's timer would end it
//   pthread_sigmask, ...      record which signals the thread blocks
//   sigaltstack               hides the alternate stacks that we gave to threads
#include "samplers/agent/process/interpose.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <threads.h>

#include <atomic>
#include <cstring>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/real_function.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/own_time.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/kernel_action.h"
#include "samplers/agent/signals/signal_stack.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/signals/syscall_front.h"
#include "samplers/agent/stacks/modules.h"
#include "samplers/agent/stacks/sampler.h"

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

namespace gprofx::agent {
namespace {

using CreateFunction = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using CreateStandardFunction = int (*)(thrd_t*, thrd_start_t, void*);
using CancelFunction = int (*)(pthread_t);
using NameFunction = int (*)(pthread_t, const char*);
using CloseFunction = int (*)(void*);
using ActionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
using SignalFunction = sighandler_t (*)(int, sighandler_t);
using InterruptFunction = int (*)(int, int);
using MaskFunction = int (*)(int, const sigset_t*, sigset_t*);
using AlternateStackFunction = int (*)(const stack_t*, stack_t*);
using StackSizeFunction = int (*)(const pthread_attr_t*, size_t*);

CreateFunction g_create;
CreateStandardFunction g_create_standard;
CancelFunction g_cancel;
NameFunction g_name;
CloseFunction g_close;
ActionFunction g_action;
SignalFunction g_signal, g_sysv_signal;
InterruptFunction g_interrupt;
MaskFunction g_thread_mask, g_process_mask;
AlternateStackFunction g_alternate_stack;
StackSizeFunction g_stack_size;

// Returns the stack size in bytes of a new thread with these attributes. If they set none, glibc
// uses the stack limit, or 2 MiB if there is no limit. musl uses less; a result that is too large
// does no harm.
uint64_t StackBytes(const pthread_attr_t* attr) {
  constexpr uint64_t kWithoutLimit = 2 << 20;
  size_t bytes = 0;
  const StackSizeFunction asked = Real(g_stack_size, "pthread_attr_getstacksize");
  const bool known = attr != nullptr && asked != nullptr && asked(attr, &bytes) == 0 && bytes != 0;
  return known ? bytes : StackLimit(kWithoutLimit);
}

// Claims the state for a new thread. Returns null if the thread is not to be sampled.
ThreadState* PrepareThread(const pthread_attr_t* attr) {
  if (!g_session.joined() || !Allowed(kNeedNewThread | kNeedActions)) return nullptr;
  const OwnTime ours;
  ThreadState* state = ClaimThread();
  if (state == nullptr) return nullptr;
  g_modules.RefreshIfNeeded();
  state->stack_bytes = StackBytes(attr);
  return state;
}

void TakeTicksBack() {
  if (g_session.joined() && Allowed(kNeedActions)) RetakeTicks();
}

void* ThreadMain(void* argument) {
  auto* state = static_cast<ThreadState*>(argument);
  void* (*start)(void*) = state->start;
  void* start_argument = state->argument;
  NoteOwnStack(reinterpret_cast<uint64_t>(__builtin_frame_address(0)), state->stack_bytes);
  {
    const OwnTime ours;
    StartThisThread(state, 0);  // the thread's clock starts at 0
  }
  InAgent::Leave();
  return start(start_argument);
}

// Changes the signal mask through `real` and records the new one. CUDA calls use the record to know
// whether their loads may fault. The collector uses it to know which threads it may send signals
// to. The tick signal is not blocked: libc refuses that.
int ChangeMask(MaskFunction real, int how, const sigset_t* set, sigset_t* old) {
  const uint64_t named = set == nullptr ? 0 : FirstWord(*set);  // `old` may alias it
  const int result = real(how, set, old);
  if (result != 0 || set == nullptr || !g_session.joined()) return result;
  if (!Allowed(kNeedThread) || !IsOwnProcess()) return result;
  const InAgent here;
  if (ThreadState* state = CurrentThread(); state != nullptr) {
    const uint32_t known = state->ring->asks.load(std::memory_order_relaxed);
    const bool asks = known == wire::kAsksBlocked;
    if (known == wire::kAsksUnknown && how != SIG_SETMASK) return result;
    const uint64_t before = state->blocked_faults | (asks ? kAskBit : 0);
    NoteMask(state, how == SIG_BLOCK     ? before | named
                    : how == SIG_UNBLOCK ? before & ~named
                                         : named);
  }
  return result;
}

bool Interposed(int signal) {
  return g_session.joined() && IsShared(signal) && signal != wire::kTickSignal;
}

// Sets or reads the action for a shared signal. A vfork child has its own actions in the kernel,
// but what the agent recorded for the program is in the parent's memory. There, only the kernel's
// action is changed.
int ChangeAction(int signal, const struct sigaction* action, struct sigaction* old) {
  if (IsOwnProcess()) return SetProgramAction(signal, action, old);
  const int result = Real(g_action, "sigaction")(signal, action, old);
  if (result == 0 && old != nullptr) ShowProgramAction(signal, old);
  return result;
}

// Implements signal(2) and its System V variant with sigaction. `blocked` is the set of signals
// that are blocked while the handler runs. In glibc's signal(2) that is the signal itself.
sighandler_t SetBySignal(int signal, sighandler_t handler, int flags, uint64_t blocked) {
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  std::memcpy(&action.sa_mask, &blocked, sizeof blocked);
  ChangeAction(signal, &action, &old);
  return old.sa_handler;
}

// Set of the shared signals for which the program called siginterrupt(3). A handler that signal(2)
// sets for one of them interrupts system calls. Bit N-1 is signal N.
std::atomic<uint64_t> g_interrupting{0};

uint64_t BitOf(int signal) { return uint64_t{1} << (signal - 1); }

// True if the kernel would accept this rt_sigaction(2) call: it can read `action`, can write `old`
// and allows the call. Otherwise sets errno. Tests that by making the same call for SIGKILL. The
// kernel refuses to change the action of SIGKILL, but checks everything else first.
bool KernelTakes(const SyscallArguments& call, long action, long old) {
  const int refused = action == 0 ? 0 : EINVAL;
  return RealSyscall({call.number, SIGKILL, action, old, call.d, 0, 0}) == 0 || errno == refused;
}

}  // namespace

uint64_t StackLimit(uint64_t without) {
  rlimit limit{};
  const bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? limit.rlim_cur : without;
}

void ResolveRealFunctions() {
  Real(g_create, "pthread_create");
  Real(g_close, "dlclose");
  Real(g_action, "sigaction");
  Real(g_signal, "signal");
  Real(g_sysv_signal, "__sysv_signal");
  Real(g_interrupt, "siginterrupt");
  Real(g_thread_mask, "pthread_sigmask");
  Real(g_process_mask, "sigprocmask");
  Real(g_alternate_stack, "sigaltstack");
  Real(g_stack_size, "pthread_attr_getstacksize");
  ResolveWait();
}

RealAction RealSigaction() { return g_action; }

GPROFX_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attr,
                                 void* (*start)(void*), void* argument) {
  CreateFunction real = Real(g_create, "pthread_create");
  const InAgent here;
  JoinPostponed();
  ThreadState* state = PrepareThread(attr);
  if (state == nullptr) {
    const int result = real(thread, attr, start, argument);
    TakeTicksBack();
    return result;
  }
  state->start = start;
  state->argument = argument;
  InAgent::Enter();  // ends when the new thread has begun
  int result = real(thread, attr, ThreadMain, state);
  TakeTicksBack();  // libc sets its own action for ticks when it creates the first thread
  if (result == 0) return 0;
  InAgent::Leave();
  ReleaseUnused(state);
  return result;
}

GPROFX_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  const CreateStandardFunction real = Real(g_create_standard, "thrd_create");
  const int result = real != nullptr ? real(thread, start, argument) : thrd_error;
  const InAgent here;
  TakeTicksBack();
  return result;
}

GPROFX_EXPORT int pthread_cancel(pthread_t thread) {
  const int result = Real(g_cancel, "pthread_cancel")(thread);
  const InAgent here;
  TakeTicksBack();
  return result;
}

GPROFX_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  const NameFunction real = Real(g_name, "pthread_setname_np");
  const int result = real != nullptr ? real(thread, name) : ENOSYS;  // libpthread may be absent
  if (result == 0 && pthread_equal(thread, pthread_self()) != 0) NoteOwnName();
  return result;
}

GPROFX_EXPORT int dlclose(void* handle) {
  CloseFunction real = Real(g_close, "dlclose");
  if (!g_session.joined()) return real(handle);
  {
    const InAgent here;
    const NoJoining no_joining;
    g_python.Pause();
    if (g_session.joined()) WaitForHandlers();
  }
  int result = real(handle);
  const InAgent here;
  const NoJoining no_joining;
  g_modules.AfterUnload();
  g_python.Resume();
  return result;
}

GPROFX_EXPORT int sigaction(int signal, const struct sigaction* action,
                            struct sigaction* old) noexcept {
  NoteProgramAction(signal, action);
  if (!Interposed(signal)) return Real(g_action, "sigaction")(signal, action, old);
  return ChangeAction(signal, action, old);
}

long ActionBySyscall(const SyscallArguments& call) {
  const auto signal = static_cast<int>(call.a);
  const auto* action = reinterpret_cast<const KernelAction*>(call.b);
  auto* old = reinterpret_cast<KernelAction*>(call.c);
  struct sigaction wanted {
  }, before{};
  if (!g_session.joined() || !IsShared(signal) || call.d != sizeof(KernelAction::mask)) {
    if (action == nullptr) return RealSyscall(call);
    const long result = RealSyscall(call);
    if (result == 0) NoteProgramAction(signal, &(wanted = FromKernel(*action)));
    return result;
  }
  if (!KernelTakes(call, call.b, 0)) return -1;
  // Read before `old` is written, which may be the same memory.
  if (action != nullptr) wanted = FromKernel(*action);
  if (!KernelTakes(call, 0, call.c)) return -1;
  NoteProgramAction(signal, action == nullptr ? nullptr : &wanted);
  KernelAction present{};
  RealSyscall({call.number, call.a, 0, reinterpret_cast<long>(&present), call.d, 0, 0});
  if (signal == wire::kTickSignal && !IsOwnProcess())
    return RealSyscall(call);  // libc's sigaction would refuse this signal
  ChangeAction(signal, action == nullptr ? nullptr : &wanted, &before);
  if (old != nullptr) *old = ToKernel(before, present);
  return 0;
}

GPROFX_EXPORT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  if (!Interposed(signal)) return Real(g_signal, "signal")(signal, handler);
  const uint64_t bit = BitOf(signal);
  return SetBySignal(signal, handler, (g_interrupting.load() & bit) != 0 ? 0 : SA_RESTART, bit);
}

GPROFX_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}
GPROFX_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}

GPROFX_EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  if (!Interposed(signal)) return Real(g_sysv_signal, "__sysv_signal")(signal, handler);
  return SetBySignal(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER), 0);
}
GPROFX_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return __sysv_signal(number, handler);
}

// Interposed because libc's own versions of the next three functions do not call the interposed
// sigaction. They would replace our handler.
GPROFX_EXPORT sighandler_t sigset(int number, sighandler_t handler) noexcept {
  const bool holds = handler == SIG_HOLD;
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  if (sigaction(number, holds ? nullptr : &action, &old) != 0) return SIG_ERR;
  sigset_t only{}, before{};
  const uint64_t bit = BitOf(number);
  std::memcpy(&only, &bit, sizeof bit);
  if (sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &only, &before) != 0) return SIG_ERR;
  return (FirstWord(before) & bit) != 0 ? SIG_HOLD : old.sa_handler;
}

GPROFX_EXPORT int sigignore(int number) noexcept {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  return sigaction(number, &action, nullptr);
}

GPROFX_EXPORT int siginterrupt(int number, int interrupts) noexcept {
  if (!Interposed(number)) return Real(g_interrupt, "siginterrupt")(number, interrupts);
  struct sigaction action {};
  ChangeAction(number, nullptr, &action);
  if (interrupts != 0) {
    g_interrupting.fetch_or(BitOf(number));
    action.sa_flags &= ~SA_RESTART;
  } else {
    g_interrupting.fetch_and(~BitOf(number));
    action.sa_flags |= SA_RESTART;
  }
  return ChangeAction(number, &action, nullptr);
}

GPROFX_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return ChangeMask(Real(g_thread_mask, "pthread_sigmask"), how, set, old);
}

GPROFX_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return ChangeMask(Real(g_process_mask, "sigprocmask"), how, set, old);
}

GPROFX_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  const int result = Real(g_alternate_stack, "sigaltstack")(stack, old);
  if (result != 0) return result;
  if (old != nullptr && IsSignalStack(*old)) {
    *old = {};
    old->ss_flags = SS_DISABLE;
  }
  const InAgent here;
  const int saved = errno;
  // If the program disabled its own alternate stack, give the thread ours again.
  if (ThreadState* state = stack == nullptr ? nullptr : CurrentThread(); state != nullptr)
    GiveSignalStack(state);
  errno = saved;
  return 0;
}

}  // namespace gprofx::agent
