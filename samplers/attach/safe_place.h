// Decides whether a stopped thread may be made to call pthread_create. Pure.
//
// The call allocates and takes locks of the C library. The thread must hold none of them: it must
// be blocked in a system call that allocator, loader and thread functions never make, or run code
// of the program itself. The same must hold for everything that its signal handlers interrupted. In
// all other cases the answer is no; the caller tries another thread or another moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "samplers/attach/loaded_objects.h"

namespace gprofx::attach {

struct CallInProgress {            // of a thread stopped on its return from the kernel
  int64_t number = -1;             // -1: not in a system call
  uint64_t first = 0, second = 0;  // arguments
};

// True if this call waits and is never made while holding a lock of the C library. `waits_for`
// returns what a descriptor refers to, as readlink(2) of /proc/PID/fd/N does.
bool WaitsHarmlessly(const CallInProgress& call,
                     const std::function<std::string(uint64_t)>& waits_for);

// A call that was stopped before and then resumed shows the number of restart_syscall(2). Its own
// number is in the code that ends with the `syscall` instruction, if that code loads it. glibc 2.41
// and newer keep it in a register; then a sleep is assumed, which has the strictest requirements of
// all calls that the kernel restarts (poll, sleeps, a futex with a timeout, which no lock of the C
// library uses).
int64_t NumberOfRestarted(std::span<const std::byte> code);

// Calls, among the harmless ones, by which an allocator waits for its own spin lock.
bool AllocatorsSleepBy(int64_t number);

// True if the kernel returns EINTR from this call after a stop, even without any handler. signal(7)
// lists them.
bool EndsByStop(int64_t number);

// True for a call that may return EINTR after a stop without having done anything: it can be
// repeated. These are the calls of EndsByStop, and calls on sockets with a timeout (SO_RCVTIMEO).
bool IsMadeAgain(int64_t number);

// True if a thread may be used. `room`: the kind of code at its program counter.
bool IsSafePlace(Room room, bool in_call, bool waits_harmlessly);

}  // namespace gprofx::attach
