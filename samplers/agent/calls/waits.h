// Where threads that launch wait, told without waking them: their Python frames are read from
// beside.
//
// Samples come by the CPU clock, so a thread that sleeps has none. Its PyThreadState lies still
// meanwhile: it is walked by another thread, through copies of the memory, and what was read counts
// only if the CPU clock of the thread stood still from before to behind it. So it may also be one
// that could run and had no core. A signal would end the call in which it waits; sent from outside
// it also kills a program that has just been started. Not for handlers; any thread, one at a time
// (a second one finds nothing).
#pragma once

#include <cstdint>

#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// As AgentEntry::waiting. Nothing where samples are of the wall clock, which tell it themselves.
// Tens to hundreds of microseconds for each thread that waits elsewhere than the last time, else
// one.
uint32_t FindWaiting(wire::WaitingThread* out, uint32_t room);

// Until nobody looks who began before; for some milliseconds at most.
void WaitForLook();

}  // namespace gprofx::agent
