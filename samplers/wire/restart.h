// Wall-clock mode: system calls that return EINTR after any signal handler, but that our handler
// can restart, so that the program does not notice the sample. Both sides must agree: the collector
// signals a thread in such a call only if the code around the call has the form that the handler
// recognises.
//
// The form depends on the processor (machine/). FormOfCall() decodes it from the kCallBytes bytes
// before the call's return address.
//
// Restarting is exact for absolute and endless waits and for calls that write back the remaining
// time. A relative wait may take up to one sampling interval longer, once per wait, and never less
// than requested. A wait that the user stopped meanwhile (SIGSTOP, ptrace) may start over.
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
    // These return EINTR only on sockets with a timeout (SO_RCVTIMEO), which the collector cannot
    // see. A call that already received data returns the data and not EINTR.
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
