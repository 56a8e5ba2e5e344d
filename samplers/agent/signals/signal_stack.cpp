#include "samplers/agent/signals/signal_stack.h"

#include <sys/mman.h>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/python/runtime.h"

namespace gprofx::agent {
namespace {

constexpr uint64_t kBytes = 256 << 10;
constexpr uint64_t kGuardBytes = 64 << 10;  // at least one page, whatever the page size

// Start of the alternate stack that we gave this thread; 0 = none. In a fork child, the variable
// and the stack stay as they are.
constinit thread_local uint64_t t_given = 0;

// True if `stack`, from a signal's context or from sigaltstack(2), means that the thread has no
// alternate stack. In a context the flags may be 0 although there is no stack, after an exec from a
// thread that had one. The size is then 0. sigaltstack(2) reports the right flags.
bool IsNone(const stack_t& stack) {
  return (stack.ss_flags & SS_DISABLE) != 0 || stack.ss_size == 0;
}

// True if the calling thread is to get an alternate stack. The id check is for vfork children,
// which share the parent's memory and may get here with the parent's state.
bool IsWanted(const ThreadState& state) {
  return g_python.found() && !g_session.late() && Allowed(kNeedSignalStack) &&
         static_cast<int32_t>(RawSyscall(SYS_gettid)) == state.tid;
}

uint64_t MakeStack() {
  void* p = mmap(nullptr, kGuardBytes + kBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return 0;
  RawSyscall(SYS_mprotect, AsArgument(p), kGuardBytes, PROT_NONE);
  return reinterpret_cast<uint64_t>(p) + kGuardBytes;
}

// Returns the alternate stack of the thread's slot. Maps it at the first call. `ss_sp` is null if
// that fails.
stack_t StackOf(ThreadState* state) {
  if (state->signal_stack == 0) state->signal_stack = MakeStack();
  state->signal_stack_used = true;
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
  if (!IsWanted(*state) || !IsNone(PresentStack())) return;
  const stack_t stack = StackOf(state);
  if (stack.ss_sp != nullptr && SetStack(stack)) t_given = state->signal_stack;
}

void GiveSignalStackAtReturn(ThreadState* state, ucontext_t& context) {
  if (!IsNone(context.uc_stack) || !IsWanted(*state)) return;
  const stack_t stack = StackOf(state);
  if (stack.ss_sp == nullptr) return;
  context.uc_stack = stack;
  t_given = state->signal_stack;
}

void TakeSignalStack(ThreadState* state) {
  if (!state->signal_stack_used || !Allowed(kNeedSignalStack)) return;
  const auto present = reinterpret_cast<uint64_t>(PresentStack().ss_sp);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  // If SetStack fails, the thread runs on the stack in a handler and may continue to use it. The
  // stack then still counts as used.
  if (present != state->signal_stack || SetStack(none)) state->signal_stack_used = false;
}

void ForgetSignalStack(ThreadState* state) {
  if (state->signal_stack_used) state->signal_stack = 0;
  state->signal_stack_used = false;
}

bool IsSignalStack(const stack_t& stack) {
  return t_given != 0 && reinterpret_cast<uint64_t>(stack.ss_sp) == t_given;
}

}  // namespace gprofx::agent
