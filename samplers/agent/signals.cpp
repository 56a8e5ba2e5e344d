// Signal path in the handlers: no allocation, no locks.
#include "samplers/agent/signals.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "samplers/agent/fault.h"
#include "samplers/agent/sampler.h"
#include "samplers/agent/session.h"

namespace gprofx::agent {
namespace {

constexpr int kShared[] = {SIGPROF, SIGTRAP, SIGSEGV, SIGBUS};
constexpr int kSharedCount = 4;

int IndexOf(int signal) {
  for (int i = 0; i < kSharedCount; ++i) {
    if (kShared[i] == signal) return i;
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

constexpr uint64_t Bit(int signal) { return uint64_t{1} << (signal - 1); }
constexpr uint64_t kSamplingBits = Bit(SIGPROF) | Bit(SIGTRAP);

bool IsHandler(const struct sigaction& a) {
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

void SetDefault(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  g_real(signal, &action, nullptr);
}

// Gives the signal to the program.
void PassOn(int signal, siginfo_t* info, void* context) {
  int index = IndexOf(signal);
  if (g_session.joined()) g_session.Count(wire::kForeignSignals);
  struct sigaction action = Program(index);
  bool sent =
      info->si_code <= 0;  // by kill, raise, a timer; else the kernel reports a fault or trap
  if (action.sa_handler == SIG_IGN && (sent || signal == SIGPROF)) return;
  if (!IsHandler(action)) {
    SetDefault(signal);
    // A fault happens again at return and kills with the right status and core; anything else is
    // sent again.
    bool repeats = !sent && (signal == SIGSEGV || signal == SIGBUS);
    if (!repeats) syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
    if (!repeats && !sent) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    return;
  }
  if (action.sa_flags & SA_RESETHAND) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    Publish(index, reset);
  }
  if (action.sa_flags & SA_SIGINFO) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

void OnSamplingSignal(int signal, siginfo_t* info, void* context) {
  int saved = errno;
  if (!HandleSamplingSignal(signal, info, context)) PassOn(signal, info, context);
  errno = saved;
}

// The context of the faulting instruction. A perf event's SIGTRAP is synchronous to the kernel,
// which delivers pending synchronous signals in the order of their arrival, blocked or not: one
// that came before the fault gets its frame first, and the fault's frame then says that it happened
// at the first instruction of our sampling handler. There the third argument leads to the frame
// below.
void* FaultContext(void* context) {
  for (int i = 0; i < kSharedCount; ++i) {
    const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    if (registers[REG_RIP] != reinterpret_cast<greg_t>(&OnSamplingSignal)) break;
    context = reinterpret_cast<void*>(registers[REG_RDX]);
  }
  return context;
}

void OnFault(int signal, siginfo_t* info, void* context) {
  context = FaultContext(context);
  if (ResumeSafeLoad(context)) {
    if (g_session.joined()) g_session.Count(wire::kSafeLoadFaults);
    return;
  }
  PassOn(signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
Handler FrontOf(int index) { return index < 2 ? &OnSamplingSignal : &OnFault; }

// Our handler with the flags and the mask that the program's action asks for.
void InstallFront(int index) {
  const struct sigaction& program = Program(index);
  struct sigaction action {};
  action.sa_sigaction = FrontOf(index);
  action.sa_flags = SA_SIGINFO;
  if (IsHandler(program)) action.sa_mask = program.sa_mask;
  if (index < 2) {
    action.sa_flags |= SA_ONSTACK | SA_RESTART;
    if (IsHandler(program) && !(program.sa_flags & SA_RESTART)) action.sa_flags &= ~SA_RESTART;
    sigaddset(&action.sa_mask, SIGPROF);
    sigaddset(&action.sa_mask, SIGTRAP);
  } else if (IsHandler(program)) {
    action.sa_flags |= program.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART);
  } else {
    action.sa_flags |= SA_ONSTACK | SA_RESTART | SA_NODEFER;
  }
  g_real(kShared[index], &action, nullptr);
}

}  // namespace

bool IsShared(int signal) { return IndexOf(signal) >= 0; }

void InstallFrontHandlers(RealAction real) {
  g_real = real;
  for (int i = 0; i < kSharedCount; ++i) {
    struct sigaction present {};
    g_real(kShared[i], nullptr, &present);
    Publish(i, present);
    InstallFront(i);
  }
}

int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old) {
  int index = IndexOf(signal);
  if (old != nullptr) *old = Program(index);
  if (action == nullptr) return 0;
  Publish(index, *action);
  InstallFront(index);
  return 0;
}

bool FrontHandlersInPlace() {
  for (int i = 0; i < kSharedCount; ++i) {
    struct sigaction present {};
    g_real(kShared[i], nullptr, &present);
    if (present.sa_sigaction != FrontOf(i)) return false;
  }
  return true;
}

bool ProgramHandles(int signal) {
  int index = IndexOf(signal);
  return index >= 0 && IsHandler(Program(index));
}

void SetSamplingSignals(int how) {
  uint64_t bits = kSamplingBits;
  syscall(SYS_rt_sigprocmask, how, &bits, nullptr, sizeof(bits));
}

}  // namespace gprofx::agent
