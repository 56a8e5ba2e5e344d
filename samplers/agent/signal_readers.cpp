// Interposed: calls by which a program takes signals that wait, or looks at them. A tick of a perf event
// may wait as well where the thread blocks its signal; it is taken away before, and the event is
// given up. A signal of somebody else's stays. Each calls the real one once.
#include <dlfcn.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "samplers/agent/late.h"
#include "samplers/agent/limits.h"
#include "samplers/agent/process.h"
#include "samplers/agent/raw_syscall.h"
#include "samplers/agent/sampler.h"
#include "samplers/agent/session.h"
#include "samplers/agent/signals.h"
#include "samplers/agent/timers.h"

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

namespace gprofx::agent {
namespace {

// Of the thread whose event has sent signals under this number.
bool IsOwnTick(const siginfo_t& info, int fd) {
  const bool poll = info.si_code == POLL_IN || info.si_code == POLL_HUP || info.si_code == SI_SIGIO;
  return poll && info.si_fd == fd;
}

void TakeTicksAway(const ThreadState& state) {
  const uint64_t asks = kAskBit;
  const timespec none{};
  siginfo_t info{};
  while (RawSyscall(SYS_rt_sigtimedwait, AsArgument(&asks), AsArgument(&info), AsArgument(&none),
                    sizeof asks) == wire::kAskSignal) {
    if (IsOwnTick(info, state.perf_signal_fd)) continue;
    RawSyscall(SYS_rt_tgsigqueueinfo, RawSyscall(SYS_getpid), state.tid, wire::kAskSignal,
               AsArgument(&info));
    return;
  }
}

// Before the calling thread learns what waits of `set`; null: of everything.
void PrepareRead(const sigset_t* set) {
  if (!g_session.joined() || !Allowed(kNeedAll)) return;
  if (set != nullptr && (FirstWord(*set) & kAskBit) == 0) return;
  const InAgent here;
  ThreadState* state = IsOwnProcess() ? CurrentThread() : nullptr;
  if (state == nullptr || state->perf_signal_fd < 0) return;
  if (state->ring->perf.load(std::memory_order_relaxed) == wire::kPerfHandedOver) RestPerfEvent(state);
  TakeTicksAway(*state);
}

template <class F>
F Real(F& cached, const char* name) {
  if (cached == nullptr) cached = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  return cached;
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

// What is read of it later nobody sees: no thread has an event any more.
GPROFX_EXPORT int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  if (set != nullptr && (FirstWord(*set) & kAskBit) != 0) NoteProgramReadsAsks();
  PrepareRead(set);
  return Real(g_descriptor, "signalfd")(fd, set, flags);
}

}  // namespace gprofx::agent
