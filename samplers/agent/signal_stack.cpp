#include "samplers/agent/signal_stack.h"

#include <sys/mman.h>

#include "samplers/agent/limits.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/raw_syscall.h"

namespace gprofx::agent {
namespace {

constexpr uint64_t kBytes = 256 << 10;
constexpr uint64_t kGuardBytes = 64 << 10;  // a page, however large

constinit thread_local uint64_t t_given =
    0;  // where it begins; kept by a fork child, as the stack is

bool IsNone(const stack_t& stack) { return (stack.ss_flags & SS_DISABLE) != 0; }

bool IsWanted() { return g_python.found() && Allowed(kNeedSignalStack); }

uint64_t MakeStack() {
  void* p = mmap(nullptr, kGuardBytes + kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return 0;
  RawSyscall(SYS_mprotect, AsArgument(p), kGuardBytes, PROT_NONE);
  return reinterpret_cast<uint64_t>(p) + kGuardBytes;
}

// That of the thread's slot; `ss_sp` is null where there is no memory.
stack_t StackOf(ThreadState* state) {
  if (state->signal_stack == 0) state->signal_stack = MakeStack();
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(state->signal_stack);
  stack.ss_size = kBytes;
  return stack;
}

stack_t PresentStack() {
  stack_t stack{};
  RawSyscall(SYS_sigaltstack, 0, AsArgument(&stack));
  return stack;
}

bool SetStack(const stack_t& stack) { return RawSyscall(SYS_sigaltstack, AsArgument(&stack)) == 0; }

}  // namespace

void GiveSignalStack(ThreadState* state) {
  if (!IsWanted() || !IsNone(PresentStack())) return;
  const stack_t stack = StackOf(state);
  if (stack.ss_sp != nullptr && SetStack(stack)) t_given = state->signal_stack;
}

void GiveSignalStackAtReturn(ThreadState* state, ucontext_t& context) {
  if (!IsNone(context.uc_stack) || !IsWanted()) return;
  const stack_t stack = StackOf(state);
  if (stack.ss_sp == nullptr) return;
  context.uc_stack = stack;
  t_given = state->signal_stack;
}

void TakeSignalStack(ThreadState* state) {
  if (state->signal_stack == 0) return;
  if (Allowed(kNeedSignalStack)) {
    if (!IsSignalStack(PresentStack())) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (SetStack(none)) return;
  }
  state->signal_stack = 0;  // the thread goes on to use it, so nobody else may
}

bool IsSignalStack(const stack_t& stack) {
  return t_given != 0 && reinterpret_cast<uint64_t>(stack.ss_sp) == t_given;
}

}  // namespace gprofx::agent
