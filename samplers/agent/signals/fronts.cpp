// Runs in signal handlers: no allocation, no locks.
#include "samplers/agent/signals/fronts.h"

#include <sys/syscall.h>
#include <ucontext.h>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/signals/fatal_fault.h"

namespace gprofx::agent {
namespace {

void SetDefault(RealAction real, int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  real(signal, &action, nullptr);
}

// Returns the signal mask with which the kernel would have run the program's handler. Our own
// handler runs with a different mask (InstallFront). The return from the signal restores the mask
// of the interrupted code.
uint64_t MaskAskedFor(int signal, const struct sigaction& action, const void* context) {
  const sigset_t& before = static_cast<const ucontext_t*>(context)->uc_sigmask;
  const uint64_t own = (action.sa_flags & SA_NODEFER) != 0 ? 0 : uint64_t{1} << (signal - 1);
  return FirstWord(before) | FirstWord(action.sa_mask) | own;
}

}  // namespace

void Publish(Front& front, const struct sigaction& action) {
  struct sigaction& slot = front.slots[front.next.fetch_add(1) % 64];
  slot = action;
  front.current.store(&slot, std::memory_order_release);
}

bool IsHandler(const struct sigaction& a) {
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

bool IsSame(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_sigaction == b.sa_sigaction && a.sa_flags == b.sa_flags &&
         FirstWord(a.sa_mask) == FirstWord(b.sa_mask);
}

void PassOn(RealAction real, Front& front, int signal, siginfo_t* info, void* context) {
  if (front.signal.load() != signal) return;  // an earlier recording installed this handler
  {
    const InAgent here;
    g_session.Count(wire::kForeignSignals);
  }
  const bool fault = signal == SIGSEGV || signal == SIGBUS;
  struct sigaction action = ActionBehind(front);
  bool sent = info->si_code <= 0;  // sent by kill, raise or a timer; otherwise a fault or trap
  if (action.sa_handler == SIG_IGN && (sent || !fault)) return;
  if (action.sa_handler == SIG_DFL && signal == SIGURG) return;
  if (!IsHandler(action)) {
    // Record the fault before setting the default action: after that, a faulting safe load of
    // another thread would end the process.
    if (!sent && fault) NoteFatalFault(signal, *info, context);
    SetDefault(real, signal);
    // After the return, a fault occurs again, and ends the process with the right status and core.
    // Any other signal is sent again here.
    bool repeats = !sent && fault;
    const long pid = RawSyscall(SYS_getpid), tid = RawSyscall(SYS_gettid);
    if (!repeats) RawSyscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, AsArgument(info));
    if (!repeats && !sent) RawSyscall(SYS_tgkill, pid, tid, signal);
    return;
  }
  if (action.sa_flags & SA_RESETHAND) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    Publish(front, reset);
  }
  if (Allowed(kNeedMask)) ChangeOwnMask(SIG_SETMASK, MaskAskedFor(signal, action, context));
  if (action.sa_flags & SA_SIGINFO) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

}  // namespace gprofx::agent
