// Decides which interrupted system calls our handler can restart in wall-clock mode. These calls
// return EINTR after any signal handler. If our handler restarts them, the program does not notice
// the sample. Both sides must agree: the collector sends a signal to a thread in such a call only
// if the code around the call has the form that the handler recognizes.
//
// The form depends on the processor (machine/). FormOfCall() decodes it from the kCallBytes bytes
// before the call's return address.
//
// Restarting is exact for waits until an absolute time, for waits without an end, and for calls
// that write back the remaining time. A relative wait may take up to one sampling interval longer,
// once per wait, and never less than requested. A wait that the user stopped meanwhile (SIGSTOP,
// ptrace) may start over.
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
    // These calls return EINTR only on sockets with a timeout (SO_RCVTIMEO), which the collector
    // cannot see. A call that has already received data returns the data.
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
