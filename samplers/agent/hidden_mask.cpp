#include "samplers/agent/hidden_mask.h"

#include <sys/syscall.h>

#include <cstring>

#include "samplers/agent/late.h"
#include "samplers/agent/limits.h"
#include "samplers/agent/raw_syscall.h"
#include "samplers/agent/sampler.h"
#include "samplers/agent/session.h"
#include "samplers/agent/signals.h"
#include "samplers/agent/timers.h"

namespace gprofx::agent {
namespace {

thread_local bool t_hides = false;

// CUDA calls of this thread must know whether their loads may fault.
void NoteFaultsBlocked(int how, uint64_t faults) {
  const InAgent here;
  ThreadState* state = CurrentThread();
  if (state == nullptr) return;
  uint64_t& blocked = state->blocked_faults;
  blocked = how == SIG_BLOCK ? blocked | faults : how == SIG_UNBLOCK ? blocked & ~faults : faults;
}

void StopOwnPerfEvent() {
  const InAgent here;
  if (ThreadState* state = CurrentThread(); state != nullptr) StopPerfEvent(state);
}

bool HidesAfter(int how, bool names) {
  if (how == SIG_SETMASK) return names;
  return names ? how == SIG_BLOCK : t_hides;
}

// To the whole process or to the thread, as it came.
void SendAgain(const siginfo_t& info) {
  const long pid = RawSyscall(SYS_getpid);
  if (info.si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, pid, RawSyscall(SYS_gettid), info.si_signo, AsArgument(&info));
  } else {
    RawSyscall(SYS_rt_sigqueueinfo, pid, info.si_signo, AsArgument(&info));
  }
}

}  // namespace

int ChangeMask(MaskFunction real, int how, const sigset_t* set, sigset_t* old) {
  if (set == nullptr || !g_session.joined()) {
    const int result = real(how, set, old);
    if (result == 0 && old != nullptr && t_hides) sigaddset(old, wire::kAskSignal);
    return result;
  }
  const bool before = t_hides, names = sigismember(set, wire::kAskSignal) == 1;
  sigset_t changed = *set;
  // Before the call: a signal may come in it.
  t_hides = !ProgramHandles(wire::kAskSignal) && HidesAfter(how, names);
  if (t_hides && how != SIG_UNBLOCK) sigdelset(&changed, wire::kAskSignal);
  if (!t_hides && names && how != SIG_UNBLOCK) StopOwnPerfEvent();  // none of its signals is to wait
  const int result = real(how, &changed, old);
  if (result != 0) {
    t_hides = before;
    return result;
  }
  if (old != nullptr && before) sigaddset(old, wire::kAskSignal);
  NoteFaultsBlocked(how, FirstWord(changed) & kFaultBits);
  return 0;
}

bool HidesAsk() { return t_hides; }
void SetHidesAsk(bool hides) { t_hides = hides; }

bool KeepWaiting(const siginfo_t& info, ucontext_t* context) {
  if (!t_hides || !Allowed(kNeedMask)) return false;
  uint64_t mask = FirstWord(context->uc_sigmask) | kAskBit;
  std::memcpy(&context->uc_sigmask, &mask, sizeof mask);  // from the return on
  StopOwnPerfEvent();
  SendAgain(info);
  return true;
}

void BlockHidden() {
  if (t_hides && Allowed(kNeedMask)) ChangeOwnMask(SIG_BLOCK, kAskBit);
  t_hides = false;
}

MaskAsSet::MaskAsSet() : changed_(t_hides && Allowed(kNeedMask)) {
  if (changed_) ChangeOwnMask(SIG_BLOCK, kAskBit);
}

MaskAsSet::~MaskAsSet() {
  if (changed_) ChangeOwnMask(SIG_UNBLOCK, kAskBit);
}

}  // namespace gprofx::agent
