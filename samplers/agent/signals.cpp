// Signal path in the handlers: no allocation, no locks.
#include "samplers/agent/signals.h"

#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "samplers/agent/fault.h"
#include "samplers/agent/fronts.h"
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

constinit Front g_fronts[kSharedCount][kFronts];
std::atomic<int> g_installed[kSharedCount];

Front& Installed(int index) { return g_fronts[index][g_installed[index].load()]; }

const struct sigaction& Program(int index) { return ActionBehind(Installed(index)); }

template <int kFront>
void OnSamplingSignal(int signal, siginfo_t* info, void* context) {
  int saved = errno;
  if (!HandleSamplingSignal(info, context))
    PassOn(g_real, g_fronts[kSampling][kFront], signal, info, context);
  errno = saved;
}

template <int kFront>
void OnFault(int signal, siginfo_t* info, void* context) {
  if (ResumeSafeLoad(context)) {
    g_session.Count(wire::kSafeLoadFaults);  // in a sample or a call, which is in the agent
    return;
  }
  PassOn(g_real, g_fronts[IndexOf(signal)][kFront], signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
template <int... kFront>
Handler HandlerOf(int index, int front, std::integer_sequence<int, kFront...>) {
  static constexpr Handler kForSamples[] = {&OnSamplingSignal<kFront>...};
  static constexpr Handler kForFaults[] = {&OnFault<kFront>...};
  return index == kSampling ? kForSamples[front] : kForFaults[front];
}
Handler HandlerOf(int index, int front) {
  return HandlerOf(index, front, std::make_integer_sequence<int, kFronts>());
}

// The front that has this handler; -1 = it is none of ours.
int FrontWith(int index, uint64_t handler) {
  for (int front = 0; front < kFronts; ++front) {
    if (reinterpret_cast<uint64_t>(HandlerOf(index, front)) == handler) return front;
  }
  return -1;
}
int FrontWith(int index, const struct sigaction& action) {
  return FrontWith(index, reinterpret_cast<uint64_t>(action.sa_sigaction));
}

// The front for this action of the program, which may be one of ours that the program put back;
// -1 = all are in use.
int FrontFor(int index, const struct sigaction& present) {
  if (const int own = FrontWith(index, present); own >= 0) return own;
  for (int i = 0; i < kFronts; ++i) {
    Front& front = g_fronts[index][i];
    const int signal = front.signal.load();
    if (signal == g_shared[index] && IsSame(ActionBehind(front), present)) return i;
    if (signal != 0) continue;
    Publish(front, present);
    front.signal.store(g_shared[index]);
    return i;
  }
  return -1;
}

// Our handler with the flags and the mask that the program's action asks for.
void InstallFront(int index) {
  const struct sigaction& program = Program(index);
  struct sigaction action {};
  action.sa_sigaction = HandlerOf(index, g_installed[index].load());
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

// Ours in front of what the kernel has now.
void PutInFront(int index) {
  struct sigaction present {};
  g_real(g_shared[index], nullptr, &present);
  int front = FrontFor(index, present);
  if (front < 0) {
    if (index != kSampling) return;  // FaultsAreOurs says so
    front = kFronts - 1;
    Publish(g_fronts[index][front], present);
    g_fronts[index][front].signal.store(g_shared[index]);
  }
  g_installed[index].store(front);
  InstallFront(index);
}

}  // namespace

void InstallFrontHandlers(RealAction real) {
  g_real = real;
  if (g_session.plan().wall_clock != 0 || (g_session.late() && !HasHandler(real, wire::kWallSignal)))
    g_shared[kSampling] = wire::kWallSignal;
  for (int i = 0; i < kSharedCount; ++i) PutInFront(i);
  // Set before we came; a program that was just exec'ed has none.
  for (int signal = 1; g_session.late() && signal <= 64; ++signal) {
    struct sigaction present {};
    if (real(signal, nullptr, &present) == 0) NoteProgramAction(signal, &present);
  }
}

void RestoreProgramActions() {
  for (int i = 0; i < kSharedCount; ++i) {
    struct sigaction present {};
    g_real(g_shared[i], nullptr, &present);
    const int front = FrontWith(i, present);
    if (front < 0 || g_fronts[i][front].signal.load() != g_shared[i]) continue;
    const struct sigaction& action = ActionBehind(g_fronts[i][front]);
    // A signal of ours may still wait for a thread that blocks it, and the default action would end
    // the program: the kernel throws away what is ignored.
    if (i == kSampling && !IsHandler(action)) {
      struct sigaction ignore {};
      ignore.sa_handler = SIG_IGN;
      g_real(g_shared[i], &ignore, nullptr);
    }
    g_real(g_shared[i], &action, nullptr);
  }
  g_shared[kSampling] = SIGPROF;
}

int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old) {
  int index = IndexOf(signal);
  if (old != nullptr) *old = Program(index);
  if (action == nullptr) return 0;
  Publish(Installed(index), *action);
  InstallFront(index);
  return 0;
}

void ShowProgramAction(int signal, struct sigaction* action) {
  const int index = IndexOf(signal);
  if (const int front = FrontWith(index, *action); front >= 0)
    *action = ActionBehind(g_fronts[index][front]);
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
  const auto ours = [](int signal) {
    return FrontWith(IndexOf(signal), InstalledHandler(signal)) >= 0;
  };
  const bool kept = ours(SIGSEGV) && (!thorough || ours(SIGBUS));
  if (kept != FaultsWereOurs()) g_faults_were_ours.store(kept, std::memory_order_relaxed);
  return kept;
}

[[gnu::hot]] bool FaultsWereOurs() { return g_faults_were_ours.load(std::memory_order_relaxed); }

bool SamplingSignalIsOurs() {
  return FrontWith(kSampling, InstalledHandler(SamplingSignal())) >= 0;
}

void RetakeSamplingSignal() {
  if (!SamplingSignalIsOurs()) PutInFront(kSampling);
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
