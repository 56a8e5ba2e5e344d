// Signal path in the handlers: no allocation, no locks.
#include "samplers/agent/signals.h"

#include <errno.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "samplers/agent/fault.h"
#include "samplers/agent/late.h"
#include "samplers/agent/limits.h"
#include "samplers/agent/raw_syscall.h"
#include "samplers/agent/sampler.h"
#include "samplers/agent/session.h"

namespace gprofx::agent {
namespace {

constexpr int kSharedCount = 3;
constexpr int kSampling = 0;  // index
int g_shared[kSharedCount] = {SIGPROF, SIGSEGV, SIGBUS};

int IndexOf(int signal) {
  for (int i = 0; i < kSharedCount; ++i) {
    if (g_shared[i] == signal) return i;
  }
  return -1;
}

RealAction g_real =
    nullptr;  // libc's sigaction: it brings the trampoline whose unwind rows everybody knows

// Published actions of the program: an old one stays readable for handlers that hold it.
struct ActionPool {
  std::atomic<const struct sigaction*> current{nullptr};
  std::atomic<uint32_t> next{0};
  struct sigaction slots[64] = {};
};
constinit ActionPool g_program[kSharedCount];

const struct sigaction& Program(int index) {
  return *g_program[index].current.load(std::memory_order_acquire);
}

void Publish(int index, const struct sigaction& action) {
  ActionPool& pool = g_program[index];
  struct sigaction& slot = pool.slots[pool.next.fetch_add(1) % 64];
  slot = action;
  pool.current.store(&slot, std::memory_order_release);
}

bool IsHandler(const struct sigaction& a) {
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

void SetDefault(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  g_real(signal, &action, nullptr);
}

// The mask that the kernel would run the program's handler with. Our own runs with another
// (InstallFront); the return from the signal restores that of before.
uint64_t MaskAskedFor(int signal, const struct sigaction& action, const void* context) {
  const sigset_t& before = static_cast<const ucontext_t*>(context)->uc_sigmask;
  const uint64_t own = (action.sa_flags & SA_NODEFER) != 0 ? 0 : uint64_t{1} << (signal - 1);
  return FirstWord(before) | FirstWord(action.sa_mask) | own;
}

// Gives the signal to the program.
void PassOn(int signal, siginfo_t* info, void* context) {
  int index = IndexOf(signal);
  if (index < 0) return;  // our handler of an earlier recording, which sampled by another signal
  {
    const InAgent here;
    g_session.Count(wire::kForeignSignals);
  }
  struct sigaction action = Program(index);
  bool sent =
      info->si_code <= 0;  // by kill, raise, a timer; else the kernel reports a fault or trap
  if (action.sa_handler == SIG_IGN && (sent || index == kSampling)) return;
  if (action.sa_handler == SIG_DFL && signal == SIGURG) return;
  if (!IsHandler(action)) {
    SetDefault(signal);
    // A fault happens again at return and kills with the right status and core; anything else is
    // sent again.
    bool repeats = !sent && (signal == SIGSEGV || signal == SIGBUS);
    const long pid = RawSyscall(SYS_getpid), tid = RawSyscall(SYS_gettid);
    if (!repeats) RawSyscall(SYS_rt_tgsigqueueinfo, pid, tid, signal, AsArgument(info));
    if (!repeats && !sent) RawSyscall(SYS_tgkill, pid, tid, signal);
    return;
  }
  if (action.sa_flags & SA_RESETHAND) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    Publish(index, reset);
  }
  if (Allowed(kNeedMask)) ChangeOwnMask(SIG_SETMASK, MaskAskedFor(signal, action, context));
  if (action.sa_flags & SA_SIGINFO) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

void OnSamplingSignal(int signal, siginfo_t* info, void* context) {
  int saved = errno;
  if (!HandleSamplingSignal(info, context)) PassOn(signal, info, context);
  errno = saved;
}

void OnFault(int signal, siginfo_t* info, void* context) {
  if (ResumeSafeLoad(context)) {
    g_session.Count(wire::kSafeLoadFaults);  // in a sample or a call, which is in the agent
    return;
  }
  PassOn(signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
Handler FrontOf(int index) { return index == kSampling ? &OnSamplingSignal : &OnFault; }

// Our handler with the flags and the mask that the program's action asks for.
void InstallFront(int index) {
  const struct sigaction& program = Program(index);
  struct sigaction action {};
  action.sa_sigaction = FrontOf(index);
  action.sa_flags = SA_SIGINFO;
  if (index == kSampling) {
    if (IsHandler(program)) action.sa_mask = program.sa_mask;
    action.sa_flags |= SA_ONSTACK | SA_RESTART;
    if (IsHandler(program) && !(program.sa_flags & SA_RESTART)) action.sa_flags &= ~SA_RESTART;
    sigaddset(&action.sa_mask, g_shared[kSampling]);
    // Go's actions block every signal: a safe load that faults would then be killed.
    sigdelset(&action.sa_mask, SIGSEGV);
    sigdelset(&action.sa_mask, SIGBUS);
  } else {
    // An alternate stack may have no room for a second frame: nothing comes in between.
    sigfillset(&action.sa_mask);
    if (IsHandler(program)) {
      action.sa_flags |= program.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART);
    } else {
      action.sa_flags |= SA_ONSTACK | SA_RESTART | SA_NODEFER;
    }
  }
  g_real(g_shared[index], &action, nullptr);
}

// Signals whose handlers the program wants on the alternate stack. Never taken back.
std::atomic<uint64_t> g_on_alternate_stack{0};

}  // namespace

int SamplingSignal() { return g_shared[kSampling]; }
bool IsShared(int signal) { return IndexOf(signal) >= 0; }

namespace {

bool HasHandler(RealAction real, int signal) {
  struct sigaction present {};
  return real(signal, nullptr, &present) == 0 && IsHandler(present);
}

}  // namespace

void InstallFrontHandlers(RealAction real) {
  g_real = real;
  if (g_session.plan().wall_clock != 0 || (g_session.late() && !HasHandler(real, wire::kWallSignal)))
    g_shared[kSampling] = wire::kWallSignal;
  for (int i = 0; i < kSharedCount; ++i) {
    struct sigaction present {};
    g_real(g_shared[i], nullptr, &present);
    if (present.sa_sigaction != FrontOf(i)) Publish(i, present);
    InstallFront(i);
  }
}

void RestoreProgramActions() {
  for (int i = 0; i < kSharedCount; ++i) {
    struct sigaction present {};
    g_real(g_shared[i], nullptr, &present);
    if (present.sa_sigaction != FrontOf(i)) continue;
    // A signal of ours may still wait for a thread that blocks it, and the default action would end
    // the program: the kernel throws away what is ignored.
    if (i == kSampling && !IsHandler(Program(i))) {
      struct sigaction ignore {};
      ignore.sa_handler = SIG_IGN;
      g_real(g_shared[i], &ignore, nullptr);
    }
    g_real(g_shared[i], &Program(i), nullptr);
  }
  g_shared[kSampling] = SIGPROF;
}

int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old) {
  int index = IndexOf(signal);
  if (old != nullptr) *old = Program(index);
  if (action == nullptr) return 0;
  Publish(index, *action);
  InstallFront(index);
  return 0;
}

namespace {

std::atomic<bool> g_faults_were_ours{true};

// The handler that the kernel has for a signal. As <asm/signal.h> lays it out: the handler first.
uint64_t InstalledHandler(int signal) {
  uint64_t action[4] = {};
  RawSyscall(SYS_rt_sigaction, signal, 0, AsArgument(action), sizeof(uint64_t));
  return action[0];
}

}  // namespace

bool FaultsAreOurs(bool thorough) {
  const auto ours = reinterpret_cast<uint64_t>(&OnFault);
  const bool kept =
      InstalledHandler(SIGSEGV) == ours && (!thorough || InstalledHandler(SIGBUS) == ours);
  if (kept != FaultsWereOurs()) g_faults_were_ours.store(kept, std::memory_order_relaxed);
  return kept;
}

bool FaultsWereOurs() { return g_faults_were_ours.load(std::memory_order_relaxed); }

bool SamplingSignalIsOurs() {
  return InstalledHandler(SamplingSignal()) == reinterpret_cast<uint64_t>(&OnSamplingSignal);
}

void RetakeSamplingSignal() {
  struct sigaction present {};
  g_real(g_shared[kSampling], nullptr, &present);
  if (present.sa_sigaction == &OnSamplingSignal) return;
  Publish(kSampling, present);
  InstallFront(kSampling);
}

bool ProgramHandles(int signal) {
  int index = IndexOf(signal);
  return index >= 0 && IsHandler(Program(index));
}

uint64_t ChangeOwnMask(int how, uint64_t bits) {
  uint64_t old = 0;
  RawSyscall(SYS_rt_sigprocmask, how, AsArgument(&bits), AsArgument(&old), sizeof(bits));
  return old;
}

uint64_t FirstWord(const sigset_t& set) {
  uint64_t bits = 0;
  std::memcpy(&bits, &set, sizeof(bits));
  return bits;
}

void NoteProgramAction(int signal, const struct sigaction* action) {
  if (action == nullptr || (action->sa_flags & SA_ONSTACK) == 0 || signal < 1 || signal > 64) return;
  g_on_alternate_stack.fetch_or(uint64_t{1} << (signal - 1), std::memory_order_relaxed);
}

uint64_t SignalsOnAlternateStack() {
  return g_on_alternate_stack.load(std::memory_order_relaxed) & ~kFaultBits;
}

uint64_t SamplingBit() { return uint64_t{1} << (SamplingSignal() - 1); }

}  // namespace gprofx::agent
