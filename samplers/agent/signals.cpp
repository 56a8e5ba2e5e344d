// Signal path in the handlers: no allocation, no locks.
#include "samplers/agent/signals.h"

#include <errno.h>
#include <sys/syscall.h>
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

// What rt_sigaction(2) takes on x86-64: libc's function is interposed by ourselves.
struct KernelAction {
  void* handler;
  unsigned long flags;
  void* restorer;
  uint64_t mask;
};
constexpr unsigned long kRestorer = 0x04000000;

extern "C" __attribute__((visibility("hidden"))) void gprofx_restore_rt();
asm(".text\n"
    ".balign 16\n"
    ".hidden gprofx_restore_rt\n"
    ".type gprofx_restore_rt, @function\n"
    "nop\n"  // unwinders look up return address - 1
    "gprofx_restore_rt:\n"
    "mov $15, %rax\n"  // rt_sigreturn; debuggers know a trampoline by these bytes
    "syscall\n"
    ".size gprofx_restore_rt, . - gprofx_restore_rt\n");

// Published actions of the program: an old one stays readable for handlers that hold it.
struct ActionPool {
  std::atomic<const struct sigaction*> current{nullptr};
  std::atomic<uint32_t> next{0};
  struct sigaction slots[64];
};
ActionPool g_program[kSharedCount];

const struct sigaction& Program(int index) { return *g_program[index].current.load(std::memory_order_acquire); }

void Publish(int index, const struct sigaction& action) {
  ActionPool& pool = g_program[index];
  struct sigaction& slot = pool.slots[pool.next.fetch_add(1) % 64];
  slot = action;
  pool.current.store(&slot, std::memory_order_release);
}

uint64_t MaskBits(const sigset_t& set) {
  uint64_t bits = 0;
  std::memcpy(&bits, &set, sizeof(bits));
  return bits;
}

constexpr uint64_t Bit(int signal) { return uint64_t{1} << (signal - 1); }
constexpr uint64_t kSamplingBits = Bit(SIGPROF) | Bit(SIGTRAP);

bool IsHandler(const struct sigaction& a) { return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN; }

void KernelSet(int signal, const KernelAction& action) {
  syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof(uint64_t));
}

void SetDefault(int signal) {
  KernelAction action{};
  KernelSet(signal, action);
}

// Gives the signal to the program.
void PassOn(int signal, siginfo_t* info, void* context) {
  int index = IndexOf(signal);
  if (g_session.joined()) g_session.Count(wire::kForeignSignals);
  struct sigaction action = Program(index);
  bool sent = info->si_code <= 0;  // by kill, raise, a timer; else the kernel reports a fault or trap
  if (action.sa_handler == SIG_IGN && (sent || signal == SIGPROF)) return;
  if (!IsHandler(action)) {
    SetDefault(signal);
    // A fault happens again at return and kills with the right status and core; anything else is sent again.
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

void OnFault(int signal, siginfo_t* info, void* context) {
  if (ResumeSafeLoad(context)) {
    if (g_session.joined()) g_session.Count(wire::kSafeLoadFaults);
    return;
  }
  PassOn(signal, info, context);
}

void* FrontOf(int index) {
  return reinterpret_cast<void*>(index < 2 ? &OnSamplingSignal : &OnFault);
}

// Our handler with the flags and the mask that the program's action asks for.
void InstallFront(int index) {
  const struct sigaction& program = Program(index);
  KernelAction action{};
  action.handler = FrontOf(index);
  action.restorer = reinterpret_cast<void*>(&gprofx_restore_rt);
  action.flags = SA_SIGINFO | kRestorer;
  if (index < 2) {
    action.flags |= SA_ONSTACK | SA_RESTART;
    action.mask = kSamplingBits;
    if (IsHandler(program)) {
      if (!(program.sa_flags & SA_RESTART)) action.flags &= ~static_cast<unsigned long>(SA_RESTART);
      action.mask |= MaskBits(program.sa_mask);
    }
  } else if (IsHandler(program)) {
    action.flags |= static_cast<unsigned long>(program.sa_flags) & (SA_ONSTACK | SA_NODEFER | SA_RESTART);
    action.mask = MaskBits(program.sa_mask);
  } else {
    action.flags |= SA_ONSTACK | SA_RESTART | SA_NODEFER;
  }
  KernelSet(kShared[index], action);
}

}  // namespace

bool IsShared(int signal) { return IndexOf(signal) >= 0; }

void InstallFrontHandlers() {
  for (int i = 0; i < kSharedCount; ++i) {
    KernelAction present{};
    syscall(SYS_rt_sigaction, kShared[i], nullptr, &present, sizeof(uint64_t));
    struct sigaction program {};
    program.sa_handler = reinterpret_cast<sighandler_t>(present.handler);
    program.sa_flags = static_cast<int>(present.flags & ~kRestorer);
    std::memcpy(&program.sa_mask, &present.mask, sizeof(present.mask));
    Publish(i, program);
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
    KernelAction present{};
    syscall(SYS_rt_sigaction, kShared[i], nullptr, &present, sizeof(uint64_t));
    if (present.handler != FrontOf(i)) return false;
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
