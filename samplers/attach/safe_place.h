// Decides whether a stopped thread may be made to call pthread_create. Pure.
//
// pthread_create allocates memory and takes locks of the C library, of which the thread must hold
// none. So the thread must be blocked in a system call that allocator, loader and thread functions
// never make, or run code of the program itself. The same must be true for everything that its
// signal handlers interrupted. In all other cases the answer is no; the caller then tries another
// thread or another moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "samplers/attach/loaded_objects.h"

namespace gprofx::attach {

// The system call of a thread that was stopped on its return from the kernel.
struct CallInProgress {
  int64_t number = -1;             // -1 if the thread was not in a system call
  uint64_t first = 0, second = 0;  // arguments
};

// True if this call waits and the C library never makes it while it holds a lock. `waits_for`
// returns what a descriptor refers to, as readlink(2) of /proc/PID/fd/N does.
bool WaitsHarmlessly(const CallInProgress& call,
                     const std::function<std::string(uint64_t)>& waits_for);

// Returns the number of a system call that a stop interrupted and that then continued. For such a
// call the kernel shows the number of restart_syscall(2).
//
// The original number is found in `code`, the instructions up to and including `syscall`, if they
// load it as a constant. glibc 2.41 and newer keep it in a register; the result is then the number
// of a sleep. Of all calls that the kernel restarts in this way (poll, sleeps, and a futex with a
// timeout, which no lock of the C library uses), a sleep has the strictest requirements.
int64_t NumberOfRestarted(std::span<const std::byte> code);

// True if an allocator may make this call to wait for its own spin lock. The other calls of
// WaitsHarmlessly are never made for that.
bool AllocatorsSleepBy(int64_t number);

// True if this call returns EINTR after a stop, even without any signal handler. signal(7) lists
// these calls.
bool EndsByStop(int64_t number);

// True if this call may be repeated when it returns EINTR after a stop, because it has then done
// nothing. These are the calls of EndsByStop, and calls on sockets with a timeout (SO_RCVTIMEO).
bool IsMadeAgain(int64_t number);

// True if a thread that was stopped in code of the kind `room` may be used. `in_call` is true if it
// is in a system call, and `waits_harmlessly` if that is one of WaitsHarmlessly.
bool IsSafePlace(Room room, bool in_call, bool waits_harmlessly);

}  // namespace gprofx::attach
