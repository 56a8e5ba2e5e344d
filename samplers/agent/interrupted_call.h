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
#include "samplers/agent/safe_load.h"
#include "samplers/wire/restart.h"

namespace gprofx::agent {

// `context` is that of the handler. Does nothing where the call is of no form that is known.
inline void RestartInterruptedCall(ucontext_t& context) {
  uint8_t code[wire::kCallBytes];
  const bool goes_on = machine::IsToGoOn(context);
  if (!goes_on && machine::ResultOf(context) != -EINTR) return;
  const auto after = static_cast<uint64_t>(machine::InstructionPointerOf(context)) +
                     (goes_on ? wire::kEnterBytes : 0);
  if (!SafeCopy(code, after - sizeof(code), sizeof(code))) return;
  const wire::CallForm form = wire::FormOfCall(code);
  if (!wire::AgentRestarts(form.number)) return;
  if (goes_on) {
    machine::BeginAnew(context, form);
  } else if (!machine::MakeAgain(context, form)) {
    return;
  }
  const auto argument = [&context](int i) -> auto& { return machine::ArgumentOf(context, i); };
  // What remains of a relative sleep, if the program asked for it.
  if (form.number == SYS_nanosleep && argument(1) != 0) argument(0) = argument(1);
  const bool relative = form.number == SYS_clock_nanosleep && (argument(1) & TIMER_ABSTIME) == 0;
  if (relative && argument(3) != 0) argument(2) = argument(3);
}

}  // namespace gprofx::agent
