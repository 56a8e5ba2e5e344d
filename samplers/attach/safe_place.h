// May a thread that stands still be made to call pthread_create? Pure.
//
// The call allocates and takes locks of the C library. The thread must hold none of them: it is
// blocked in a system call that allocator, loader and thread functions never make, or it runs code
// of the program itself. The same must hold for whatever its signal handlers interrupted.
// Everything else is answered with no: another thread or another moment will do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "samplers/attach/loaded_objects.h"

namespace gprofx::attach {

struct CallInProgress {            // of a thread that was stopped on its way back from the kernel
  int64_t number = -1;             // -1: it was not in a system call
  uint64_t first = 0, second = 0;  // arguments
};

// Is this a call that waits, and that nobody makes who holds a lock of the C library?
// `waits_for` says what a descriptor is, as readlink(2) of /proc/PID/fd/N.
bool WaitsHarmlessly(const CallInProgress& call,
                     const std::function<std::string(uint64_t)>& waits_for);

// A call that was stopped before and goes on shows the number of restart_syscall(2); its own is in
// the code that ends with the `syscall` instruction, if that loads it there. glibc 2.41 and newer
// have it in a register: then it is taken for a sleep, which asks for the most of those that the
// kernel continues (poll, sleeps, a futex with a timeout, by which no lock of the C library waits).
int64_t NumberOfRestarted(std::span<const std::byte> code);

// Among them: calls by which an allocator waits for its own spinning lock.
bool AllocatorsSleepBy(int64_t number);

// Does the kernel answer EINTR when a stop interrupts this call, also without any handler?
// signal(7) lists them.
bool EndsByStop(int64_t number);

// A call that may answer EINTR for a stop and has done nothing then: it can be made again. Those
// that EndsByStop names, and those on sockets, which do so if they have a timeout (SO_RCVTIMEO).
bool IsMadeAgain(int64_t number);

// True if a thread may be used. `room`: where its program counter lies.
bool IsSafePlace(Room room, bool in_call, bool waits_harmlessly);

}  // namespace gprofx::attach
