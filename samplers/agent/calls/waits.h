// Finds out in which Python frames threads that make CUDA calls wait. The waiting thread is not
// woken; another thread reads its frames.
//
// Samples are driven by the CPU clock, so a sleeping thread has none. While it sleeps, its
// PyThreadState does not change. Another thread walks that state through copies of the memory. The
// result is valid only if the CPU clock of the waiting thread has the same value before and after
// the walk. A runnable thread without a core therefore counts as waiting too.
//
// A signal is no alternative. It would interrupt the call in which the thread waits. Sent from
// outside, it would also kill a program that has just been started.
//
// Do not call from signal handlers. Any thread may call this; if another call is in progress, the
// result is empty.
#pragma once

#include <cstdint>

#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// Implements AgentEntry::waiting (wire/agent_entry.h). Writes up to `room` waiting threads to `out`
// and returns their number. Returns 0 in wall-clock mode, where samples show the waits. For each
// thread that ran since the last call, takes tens to hundreds of microseconds; for any other
// thread, one microsecond.
uint32_t FindWaiting(wire::WaitingThread* out, uint32_t room);

// Waits until no call of FindWaiting is in progress. Gives up after some milliseconds.
void WaitForLook();

}  // namespace gprofx::agent
