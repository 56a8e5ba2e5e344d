// Wall clock mode: system calls that return EINTR after any signal handler, but that our handler
// can start again by itself, so that the program does not see that it was sampled. Both sides must
// agree: the collector signals a thread in such a call only if the code around the call has the
// form that the handler recognises.
//
// Restarting is exact for absolute and endless waits and for calls that write back the time that
// remains; a relative wait may take up to one sampling interval longer, once per wait, and never
// less than asked.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace gprofx::wire {

constexpr uint64_t kCallBytes = 7;  // mov $number, %eax; syscall

// The number of the system call that ends at the end of these bytes; -1 = another form.
constexpr int64_t NumberOfCall(const uint8_t (&code)[kCallBytes]) {
  if (code[0] != 0xb8 || code[5] != 0x0f || code[6] != 0x05) return -1;
  return static_cast<int64_t>(code[1] | code[2] << 8 | code[3] << 16 |
                              static_cast<uint32_t>(code[4]) << 24);
}

constexpr bool AgentRestarts(int64_t number) {
  switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_futex:
      return true;
    default:
      return false;
  }
}

}  // namespace gprofx::wire
