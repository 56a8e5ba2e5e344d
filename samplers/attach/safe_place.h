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

// Returns the number of a system call that was interrupted by a stop and resumed: the kernel then
// shows the number of restart_syscall(2) instead. The original number is found in `code`, the
// instructions up to and including `syscall`, if they load it as a constant. glibc 2.41 and newer
// keep it in a register. Then the number of a sleep is returned, because a sleep has the strictest
// requirements of all calls that the kernel restarts (poll, sleeps, and a futex with a timeout,
// which no lock of the C library uses).
int64_t NumberOfRestarted(std::span<const std::byte> code);

// True for the calls, among the harmless ones, by which an allocator waits for its own spin lock.
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
