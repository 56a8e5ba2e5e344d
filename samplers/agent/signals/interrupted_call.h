// Signal path. A system call that our signal ended is made again.
//
// The signal woke a waiting thread; this puts it back to waiting, unseen by the program
// (wire/restart.h). Each one of the wall clock mode does; a CPU timer's, if it expires while the
// thread lies down. What the kernel restarts by itself (SA_RESTART) looks like a call that was not
// made yet. A call with a time to wait that a stop interrupted (by ptrace, SIGSTOP, the freezer)
// goes on by restart_syscall(2), which ends with EINTR if any handler runs before it: such a call
// is begun anew.
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

// The call whose instructions end at `after`, if it is of a form that is known and made again.
inline bool FindCall(uint64_t after, wire::CallForm* form) {
  uint8_t code[wire::kCallBytes];
  if (!SafeCopy(code, after - sizeof(code), sizeof(code))) return false;
  *form = wire::FormOfCall(code);
  return wire::AgentRestarts(form->number);
}

// What remains of a relative sleep, if the program asked for it.
inline void SleepOn(ucontext_t& context, int64_t number) {
  const auto argument = [&context](int i) -> auto& { return machine::ArgumentOf(context, i); };
  if (number == SYS_nanosleep && argument(1) != 0) argument(0) = argument(1);
  const bool relative = number == SYS_clock_nanosleep && (argument(1) & TIMER_ABSTIME) == 0;
  if (relative && argument(3) != 0) argument(2) = argument(3);
}

}  // namespace internal

// `context` is that of the handler. False: no call is to go on here.
inline bool BeginStoppedCallAnew(ucontext_t& context) {
  wire::CallForm form;
  const auto ip = static_cast<uint64_t>(machine::InstructionPointerOf(context));
  if (!machine::IsToGoOn(context) || !internal::FindCall(ip + wire::kEnterBytes, &form))
    return false;
  machine::BeginAnew(context, form);
  internal::SleepOn(context, form.number);
  return true;
}

// Does nothing where no call was ended, or one of a form that is not known.
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
