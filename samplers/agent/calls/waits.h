// Finds out in which Python frames threads that make CUDA calls wait. The waiting thread is not
// woken; another thread reads its frames.
//
// Samples are driven by the CPU clock, so a sleeping thread has none. While it sleeps, its
// PyThreadState does not change. Another thread walks that state through copies of the memory. The
// result is valid only if the CPU clock of the waiting thread has the same value before and after
// the walk. A runnable thread without a core therefore counts as waiting too. A signal would not
// do: it would interrupt the call in which the thread waits, and if it were sent from outside it
// would kill a program that has just been started. Not for handlers. Any thread may call this, one
// at a time (a concurrent call finds nothing).
#pragma once

#include <cstdint>

#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// Implements AgentEntry::waiting (wire/agent_entry.h). Writes up to `room` waiting threads to `out`
// and returns their number. Returns 0 in wall-clock mode, whose samples show waits themselves.
// Takes tens to hundreds of microseconds for each thread whose position changed since the last
// call, otherwise one microsecond per thread.
uint32_t FindWaiting(wire::WaitingThread* out, uint32_t room);

// Waits until all calls of FindWaiting that are in progress have ended, at most some milliseconds.
void WaitForLook();

}  // namespace gprofx::agent
