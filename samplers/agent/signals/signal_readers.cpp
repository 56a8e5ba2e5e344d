// Interposes the functions by which a program reads or inspects pending signals. If the thread
// blocks the signal of its perf event, a signal of that event may be pending. The wrapper then
// closes the event and consumes its signal before it calls the real function. Signals from other
// sources stay pending. Each wrapper calls the real function once.
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/libc/real_function.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/sampler.h"

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

namespace gprofx::agent {
namespace {

// True if the signal comes from the calling thread's perf event or from the collector.
bool IsOurs(const siginfo_t& info) {
  const bool poll = info.si_code == POLL_IN || info.si_code == POLL_HUP || info.si_code == SI_SIGIO;
  const auto cookie = reinterpret_cast<uint64_t>(info.si_value.sival_ptr) & ~uint64_t{0xffff};
  return (poll && info.si_fd == NumberOfPerfSignals()) ||
         (info.si_code == SI_QUEUE && cookie == wire::kWallSignalCookie);
}

// Consumes one pending ask (signals.h) if it is ours. The kernel returns signals that are pending
// for the thread, as ours are, before those of the process. If the signal came from another source,
// sends it back to the queue that it came from. (By using its own thread id, a thread can queue a
// signal for its whole process.)
void TakeTickAway() {
  const uint64_t asks = kAskBit;
  const timespec none{};
  siginfo_t info{};
  if (RawSyscall(SYS_rt_sigtimedwait, AsArgument(&asks), AsArgument(&info), AsArgument(&none),
                 sizeof asks) != wire::kAskSignal ||
      IsOurs(info))
    return;
  const long tid = RawSyscall(SYS_gettid);
  if (info.si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, RawSyscall(SYS_getpid), tid, wire::kAskSignal,
               AsArgument(&info));
  } else {
    RawSyscall(SYS_rt_sigqueueinfo, tid, wire::kAskSignal, AsArgument(&info));
  }
}

// Called before the calling thread reads or inspects pending signals. `set` contains the signals
// that it reads; null means all.
void PrepareRead(const sigset_t* set) {
  if (!g_session.joined() || !Allowed(kNeedReaders | kNeedThread)) return;
  if (set != nullptr && (FirstWord(*set) & kAskBit) == 0) return;
  const InAgent here;
  ThreadState* state = IsOwnProcess() ? CurrentThread() : nullptr;
  if (state == nullptr || NumberOfPerfSignals() < 0) return;
  const int saved = errno;
  EndPerfEvent(state);
  TakeTickAway();
  errno = saved;
}

int (*g_pending)(sigset_t*);
int (*g_wait)(const sigset_t*, int*);
int (*g_wait_info)(const sigset_t*, siginfo_t*);
int (*g_timed_wait)(const sigset_t*, siginfo_t*, const timespec*);
int (*g_descriptor)(int, const sigset_t*, int);

}  // namespace

GPROFX_EXPORT int sigpending(sigset_t* set) noexcept {
  PrepareRead(nullptr);
  return Real(g_pending, "sigpending")(set);
}

GPROFX_EXPORT int sigwait(const sigset_t* set, int* signal) {
  PrepareRead(set);
  return Real(g_wait, "sigwait")(set, signal);
}

GPROFX_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  PrepareRead(set);
  return Real(g_wait_info, "sigwaitinfo")(set, info);
}

GPROFX_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  PrepareRead(set);
  return Real(g_timed_wait, "sigtimedwait")(set, info, timeout);
}

// Reads from the descriptor that signalfd returns are not interposed. All threads therefore give up
// their perf events: the calling one at once, the others at their next tick.
GPROFX_EXPORT int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  if (set != nullptr && (FirstWord(*set) & kAskBit) != 0) NoteProgramReadsAsks();
  PrepareRead(set);
  return Real(g_descriptor, "signalfd")(fd, set, flags);
}

}  // namespace gprofx::agent
