// The handlers allocate nothing and take no locks.
#include "samplers/agent/signals/signals.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <iterator>
#include <utility>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/signals/fault.h"
#include "samplers/agent/signals/fronts.h"
#include "samplers/agent/signals/interrupted_call.h"
#include "samplers/agent/signals/kernel_action.h"
#include "samplers/agent/stacks/sampler.h"

namespace gprofx::agent {
namespace {

constexpr int kShared[] = {wire::kTickSignal, wire::kAskSignal, SIGSEGV, SIGBUS};
constexpr int kSharedCount = std::size(kShared);
constexpr int kTick = 0, kAsk = 1;  // indices of kShared

int IndexOf(int signal) {
  for (int i = 0; i < kSharedCount; ++i) {
    if (kShared[i] == signal) return i;
  }
  return -1;
}

// libc's sigaction. Actions that it sets return through libc's signal trampoline, whose unwind rows
// all unwinders know.
RealAction g_libc = nullptr;

KernelAction InKernel(int signal) {
  KernelAction action{};
  RawSyscall(SYS_rt_sigaction, signal, 0, AsArgument(&action), sizeof action.mask);
  return action;
}

// An action that libc has set. Our own actions take libc's trampoline from it, because the kernel
// needs a trampoline in each action.
KernelAction g_set_by_libc{};

// Works like sigaction(2), but also for kTickSignal, which libc reserves.
int SetInKernel(int signal, const struct sigaction* action, struct sigaction* old) {
  if (signal != wire::kTickSignal) return g_libc(signal, action, old);
  if (old != nullptr) *old = FromKernel(InKernel(signal));
  if (action == nullptr) return 0;
  const KernelAction wanted = ToKernel(*action, g_set_by_libc);
  return static_cast<int>(
      RawSyscall(SYS_rt_sigaction, signal, AsArgument(&wanted), 0, sizeof wanted.mask));
}

constinit Front g_fronts[kSharedCount][kFronts];
std::atomic<int> g_installed[kSharedCount];

Front& Installed(int index) { return g_fronts[index][g_installed[index].load()]; }

const struct sigaction& Program(int index) { return ActionBehind(Installed(index)); }

template <int kIndex, int kFront>
void OnSample(int signal, siginfo_t* info, void* context) {
  int saved = errno;
  if (!HandleSample(signal, info, context)) {
    Front& front = g_fronts[kIndex][kFront];
    PassOn(SetInKernel, front, signal, info, context);
    // If the program has no handler for asks (signals.h), the kernel would have discarded the
    // signal without us, and no system call would have been interrupted. Restart the call that our
    // handler interrupted.
    if (kIndex == kAsk && !IsHandler(ActionBehind(front)))
      RestartCall(*static_cast<ucontext_t*>(context));
  }
  errno = saved;
}

template <int kFront>
void OnFault(int signal, siginfo_t* info, void* context) {
  if (ResumeSafeLoad(context)) {
    // Counting needs no InAgent here (late.h): the load was in a sample or an intercepted call,
    // which is already within one.
    g_session.Count(wire::kSafeLoadFaults);
    return;
  }
  PassOn(SetInKernel, g_fronts[IndexOf(signal)][kFront], signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
template <int... kFront>
Handler HandlerOf(int index, int front, std::integer_sequence<int, kFront...>) {
  static constexpr Handler kForTicks[] = {&OnSample<kTick, kFront>...};
  static constexpr Handler kForAsks[] = {&OnSample<kAsk, kFront>...};
  static constexpr Handler kForFaults[] = {&OnFault<kFront>...};
  return index == kTick ? kForTicks[front] : index == kAsk ? kForAsks[front] : kForFaults[front];
}
Handler HandlerOf(int index, int front) {
  return HandlerOf(index, front, std::make_integer_sequence<int, kFronts>());
}

// Returns the index of the front whose handler `handler` is, or -1 if it is not one of ours.
int FrontWith(int index, uint64_t handler) {
  for (int front = 0; front < kFronts; ++front) {
    if (reinterpret_cast<uint64_t>(HandlerOf(index, front)) == handler) return front;
  }
  return -1;
}
int FrontWith(int index, const struct sigaction& action) {
  return FrontWith(index, reinterpret_cast<uint64_t>(action.sa_sigaction));
}

// Returns the index of a front that passes signals on to the program's action `present`. Creates
// one if needed. Returns -1 if all are in use. If `present` is one of our own handlers, which the
// program has put back, returns the index of its front.
int FrontFor(int index, const struct sigaction& present) {
  if (const int own = FrontWith(index, present); own >= 0) return own;
  for (int i = 0; i < kFronts; ++i) {
    Front& front = g_fronts[index][i];
    const int signal = front.signal.load();
    if (signal == kShared[index] && IsSame(ActionBehind(front), present)) return i;
    if (signal != 0) continue;
    Publish(front, present);
    front.signal.store(kShared[index]);
    return i;
  }
  return -1;
}

// Adds a signal to a set. Used instead of sigaddset(3), which refuses the signals that libc
// reserves.
void AddTo(sigset_t* set, int signal) {
  uint64_t bits = FirstWord(*set) | uint64_t{1} << (signal - 1);
  std::memcpy(set, &bits, sizeof bits);
}

bool IsOfSamples(int index) { return index == kTick || index == kAsk; }

// True if the kernel must ignore the signal instead of running our handler. The program may ignore
// a signal so that programs which it execs do, too; a signal with a handler would be reset to the
// default there. Ticks are never ignored. They are sent in any case, and libc itself ignores their
// signal in processes that it starts (posix_spawn).
bool MustBeIgnored(int index, const struct sigaction& program) {
  return index != kTick && program.sa_handler == SIG_IGN;
}

// Installs our handler in the kernel, with the flags and the mask that the program's action
// requires. If the signal must be ignored, installs the program's action instead.
void InstallFront(int index) {
  const struct sigaction& program = Program(index);
  if (MustBeIgnored(index, program)) {
    SetInKernel(kShared[index], &program, nullptr);
    return;
  }
  struct sigaction action {};
  action.sa_sigaction = HandlerOf(index, g_installed[index].load());
  action.sa_flags = SA_SIGINFO;
  if (IsOfSamples(index)) {
    if (IsHandler(program)) action.sa_mask = program.sa_mask;
    action.sa_flags |= SA_ONSTACK | SA_RESTART;
    if (IsHandler(program) && !(program.sa_flags & SA_RESTART)) action.sa_flags &= ~SA_RESTART;
    for (const int signal : {wire::kTickSignal, wire::kAskSignal}) AddTo(&action.sa_mask, signal);
    // Never block fault signals, because a faulting safe load would kill the process. The program's
    // mask may contain them: Go's actions block every signal.
    sigdelset(&action.sa_mask, SIGSEGV);
    sigdelset(&action.sa_mask, SIGBUS);
  } else {
    // Block all other signals. An alternate stack may have no room for a second signal frame.
    sigfillset(&action.sa_mask);
    if (IsHandler(program)) {
      action.sa_flags |= program.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART);
    } else {
      action.sa_flags |= SA_ONSTACK | SA_RESTART | SA_NODEFER;
    }
  }
  SetInKernel(kShared[index], &action, nullptr);
}

std::atomic<bool> g_faults_were_ours{true};

void EndFaultingLoads() {
  g_faults_were_ours.store(false);
  WaitForHandlers();
}

// Signals for which the program ever set a handler that runs on the alternate stack. Bit N-1 is
// signal N.
std::atomic<uint64_t> g_on_alternate_stack{0};

}  // namespace

bool IsShared(int signal) { return IndexOf(signal) >= 0; }

namespace {

// Installs our handler in place of the kernel's present action. The handler passes signals that are
// not ours on to that action.
void PutInFront(int index) {
  struct sigaction present {};
  SetInKernel(kShared[index], nullptr, &present);
  int front = FrontFor(index, present);
  if (front < 0) {
    if (!IsOfSamples(index)) return;  // FaultsAreOurs then returns false
    front = kFronts - 1;
    Publish(g_fronts[index][front], present);
    g_fronts[index][front].signal.store(kShared[index]);
  }
  g_installed[index].store(front);
  if (!MustBeIgnored(index, present)) {
    InstallFront(index);
  } else if (!IsOfSamples(index)) {
    // The program ignores the signal. Leave its action in the kernel as it is, because setting it
    // again would drop pending signals. Our handler is not installed then, so loads must not fault.
    g_faults_were_ours.store(false);
  }
}

// Sets g_set_by_libc to an action that libc has set, to take the trampoline from. If there is none,
// because the program ignores all these signals, sets an action for a moment.
void LearnTrampoline() {
  for (int i = kTick + 1; i < kSharedCount; ++i) {
    g_set_by_libc = InKernel(kShared[i]);
    if (FrontWith(i, reinterpret_cast<uint64_t>(g_set_by_libc.handler)) >= 0) return;
  }
  struct sigaction handled {};
  handled.sa_sigaction = HandlerOf(kAsk, g_installed[kAsk].load());
  handled.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  g_libc(kShared[kAsk], &handled, nullptr);
  g_set_by_libc = InKernel(kShared[kAsk]);
  g_libc(kShared[kAsk], &Program(kAsk), nullptr);
}

}  // namespace

void InstallFrontHandlers(RealAction real) {
  g_libc = real;
  for (int i = kTick + 1; i < kSharedCount; ++i) PutInFront(i);
  LearnTrampoline();
  PutInFront(kTick);
  // If the program was entered late, record the actions that it has set. A program that was just
  // exec'ed has none.
  for (int signal = 1; g_session.late() && signal <= 64; ++signal) {
    struct sigaction present {};
    if (real(signal, nullptr, &present) == 0) NoteProgramAction(signal, &present);
  }
}

void RestoreProgramActions() {
  for (int i = 0; i < kSharedCount; ++i) {
    struct sigaction present {};
    SetInKernel(kShared[i], nullptr, &present);
    const int front = FrontWith(i, present);
    if (front < 0 || g_fronts[i][front].signal.load() != kShared[i]) continue;
    const struct sigaction& action = ActionBehind(g_fronts[i][front]);
    // Ignore the signal for a moment, which makes the kernel discard pending ones. A tick may be
    // pending for a thread that blocks it, and the default action would end the program.
    if (IsOfSamples(i) && !IsHandler(action)) {
      struct sigaction ignore {};
      ignore.sa_handler = SIG_IGN;
      SetInKernel(kShared[i], &ignore, nullptr);
    }
    SetInKernel(kShared[i], &action, nullptr);
  }
}

namespace {

// Closes the perf event of the calling thread. Called before the program can receive its first ask
// (signals.h). Of two asks that are pending for a thread, the kernel keeps only one. If that were
// ours, the program would lose its own.
void EndOwnPerfEvent() {
  const InAgent here;
  ThreadState* state = Allowed(kNeedReaders) ? CurrentThread() : nullptr;
  if (state != nullptr) EndPerfEvent(state);
}

}  // namespace

int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old) {
  int index = IndexOf(signal);
  if (old != nullptr) {
    SetInKernel(signal, nullptr, old);
    ShowProgramAction(signal, old);
  }
  if (action == nullptr) return 0;
  if (index == kAsk && IsHandler(*action)) EndOwnPerfEvent();
  struct sigaction shown = *action;
  // Libc's sigaction reports this flag too.
  shown.sa_flags |= static_cast<int>(g_set_by_libc.flags & kHasRestorer);
  Publish(Installed(index), shown);
  // If a fault occurs while its signal is ignored, the kernel kills the process. From here on,
  // samples must not load in a way that may fault.
  if (!IsOfSamples(index) && MustBeIgnored(index, *action)) EndFaultingLoads();
  InstallFront(index);
  return 0;
}

void ShowProgramAction(int signal, struct sigaction* action) {
  const int index = IndexOf(signal);
  if (const int front = FrontWith(index, *action); front >= 0)
    *action = ActionBehind(g_fronts[index][front]);
}

namespace {

bool IsFront(int index) {
  return FrontWith(index, reinterpret_cast<uint64_t>(InKernel(kShared[index]).handler)) >= 0;
}

// True if our handler receives the fault signal `signal`. Reads the kernel's present action only if
// `look`; otherwise assumes that it is still ours.
bool Faults(int signal, bool look) {
  const int index = IndexOf(signal);
  return !MustBeIgnored(index, Program(index)) && (!look || IsFront(index));
}

}  // namespace

bool FaultsAreOurs(bool thorough) {
  const bool kept = Faults(SIGSEGV, true) && Faults(SIGBUS, thorough);
  if (kept != FaultsWereOurs()) g_faults_were_ours.store(kept, std::memory_order_relaxed);
  return kept;
}

[[gnu::hot]] bool FaultsWereOurs() { return g_faults_were_ours.load(std::memory_order_relaxed); }

bool TicksAreOurs() { return IsFront(kTick); }
bool AsksAreOurs() { return IsFront(kAsk) && !IsHandler(Program(kAsk)); }

void RetakeTicks() {
  if (!IsFront(kTick)) PutInFront(kTick);
}

namespace {
std::atomic<bool> g_program_reads_asks{false};
}
void NoteProgramReadsAsks() { g_program_reads_asks.store(true, std::memory_order_relaxed); }
bool ProgramReadsAsks() { return g_program_reads_asks.load(std::memory_order_relaxed); }

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
  if (action == nullptr || (action->sa_flags & SA_ONSTACK) == 0 || signal < 1 || signal > 64)
    return;
  g_on_alternate_stack.fetch_or(uint64_t{1} << (signal - 1), std::memory_order_relaxed);
}

uint64_t SignalsOnAlternateStack() {
  return g_on_alternate_stack.load(std::memory_order_relaxed) & ~kFaultBits;
}

}  // namespace gprofx::agent
