#include "samplers/attach/safe_place.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstring>

namespace gprofx::attach {

bool WaitsHarmlessly(const CallInProgress& call,
                     const std::function<std::string(uint64_t)>& waits_for) {
  switch (call.number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_connect:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgrcv:
    case SYS_mq_timedreceive:
    case SYS_io_getevents:
    case SYS_flock:
      return true;
    case SYS_futex:
      // FUTEX_WAIT is used by locks of the C library. Its condition variables, semaphores and joins
      // use FUTEX_WAIT_BITSET.
      return (call.second & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    case SYS_read:
    case SYS_write: {
      const std::string what = waits_for(call.first);
      return what.starts_with("pipe:") || what.starts_with("socket:") ||
             what.starts_with("anon_inode:") || what.starts_with("/dev/pts") ||
             what.starts_with("/dev/tty");
    }
    default:
      return false;
  }
}

int64_t NumberOfRestarted(std::span<const std::byte> code) {
  constexpr std::byte kLoad{0xb8};  // mov $NUMBER, %eax
  constexpr size_t kLoadBytes = 5, kCallBytes = 2;
  for (size_t back = kLoadBytes + kCallBytes; back <= code.size(); ++back) {
    const std::byte* at = code.data() + code.size() - back;
    if (*at != kLoad) continue;
    uint32_t number = 0;
    std::memcpy(&number, at + 1, sizeof number);
    // The kernel restarts only these calls through restart_syscall(2).
    switch (number) {
      case SYS_poll:
      case SYS_nanosleep:
      case SYS_clock_nanosleep:
      case SYS_futex:
        return number;
      default:
        break;
    }
  }
  return SYS_clock_nanosleep;
}

bool AllocatorsSleepBy(int64_t number) {
  return number == SYS_nanosleep || number == SYS_clock_nanosleep;
}

bool EndsByStop(int64_t number) {
  switch (number) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_rt_sigtimedwait:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
      return true;
    default:
      return false;
  }
}

bool IsMadeAgain(int64_t number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_sendfile:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
      return true;
    default:
      return EndsByStop(number);
  }
}

bool IsSafePlace(Room room, bool in_call, bool waits_harmlessly) {
  if (in_call) return waits_harmlessly && (room == Room::kCLibrary || room == Room::kProgram);
  return room == Room::kProgram;
}

}  // namespace gprofx::attach
