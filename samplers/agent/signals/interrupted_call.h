// Runs in signal handlers. Restarts a system call that our signal interrupted.
//
// The signal woke a thread that waited in a system call. This code makes the thread wait again, so
// that the program notices nothing (wire/restart.h). In wall-clock mode every signal interrupts a
// wait. The signal of a CPU timer does so if the timer expires while the thread goes to sleep.
//
// If the kernel restarts a call itself (SA_RESTART), the thread looks as if it had not made the
// call yet, and nothing is done. A call with a timeout that was stopped (by ptrace, SIGSTOP or the
// freezer) continues through restart_syscall(2), which fails with EINTR if any handler runs first.
// Such a call is started anew.
#pragma once

#include <errno.h>
#include <time.h>
#include <ucontext.h>

#include <cstdint>

#include "samplers/agent/machine/machine.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/wire/restart.h"

namespace gprofx::agent {

namespace internal {

// Sets *form to the form of the system call whose instruction ends at `after`. Returns true if the
// form is known and the call may be restarted.
inline bool FindCall(uint64_t after, wire::CallForm* form) {
  uint8_t code[wire::kCallBytes];
  if (!SafeCopy(code, after - sizeof(code), sizeof(code))) return false;
  *form = wire::FormOfCall(code);
  return wire::AgentRestarts(form->number);
}

// Makes a relative sleep continue with the time that is left. The kernel wrote that time where the
// program asked for it. If the program did not, the sleep starts again in full length.
inline void SleepOn(ucontext_t& context, int64_t number) {
  const auto argument = [&context](int i) -> auto& { return machine::ArgumentOf(context, i); };
  if (number == SYS_nanosleep && argument(1) != 0) argument(0) = argument(1);
  const bool relative = number == SYS_clock_nanosleep && (argument(1) & TIMER_ABSTIME) == 0;
  if (relative && argument(3) != 0) argument(2) = argument(3);
}

}  // namespace internal

// If the interrupted thread is about to continue a stopped call (restart_syscall), makes it start
// that call anew and returns true. Returns false if the thread is not, or if the form of the call
// is unknown. `context` is the handler's ucontext_t.
inline bool BeginStoppedCallAnew(ucontext_t& context) {
  wire::CallForm form;
  const auto ip = static_cast<uint64_t>(machine::InstructionPointerOf(context));
  if (!machine::IsToGoOn(context) || !internal::FindCall(ip + wire::kEnterBytes, &form))
    return false;
  machine::BeginAnew(context, form);
  internal::SleepOn(context, form.number);
  return true;
}

// Makes the thread repeat the system call that the signal interrupted. Does nothing if it
// interrupted none, or if the form of the call is unknown.
inline void RestartInterruptedCall(ucontext_t& context) {
  wire::CallForm form;
  const auto ip = static_cast<uint64_t>(machine::InstructionPointerOf(context));
  if (machine::ResultOf(context) != -EINTR || !internal::FindCall(ip, &form)) return;
  if (machine::MakeAgain(context, form)) internal::SleepOn(context, form.number);
}

inline void RestartCall(ucontext_t& context) {
  if (!BeginStoppedCallAnew(context)) RestartInterruptedCall(context);
}

}  // namespace gprofx::agent
