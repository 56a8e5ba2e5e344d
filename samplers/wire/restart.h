// Wall clock mode: system calls that return EINTR after any signal handler, but that our handler
// can start again by itself, so that the program does not see that it was sampled. Both sides must
// agree: the collector signals a thread in such a call only if the code around the call has the
// form that the handler recognises.
//
// The form is that of the processor (machine/): FormOfCall() of the kCallBytes before the place
// where the call returns to.
//
// Restarting is exact for absolute and endless waits and for calls that write back the time that
// remains; a relative wait may take up to one sampling interval longer, once per wait, and never
// less than asked. One that the program's user stopped meanwhile (SIGSTOP, ptrace) may begin anew.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#include "samplers/wire/machine/machine.h"

namespace gprofx::wire {

constexpr bool AgentRestarts(int64_t number) {
  switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_futex:
    // Of sockets with a timeout (SO_RCVTIMEO), which nobody outside can see. A part is no error.
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
      return true;
    default:
      return IsOldPoll(number);
  }
}

}  // namespace gprofx::wire
