// Finds where launching threads wait, without waking them: another thread reads their Python
// frames.
//
// Samples are driven by the CPU clock, so a sleeping thread has none. Its PyThreadState does not
// change meanwhile: another thread walks it through copies of the memory, and the result is valid
// only if the thread's CPU clock did not advance from before until after the walk. A runnable
// thread without a core therefore counts as waiting too. No signal is used: it would interrupt the
// call in which the thread waits. Sent from outside, it would also kill a program that has just
// been started. Not for handlers; any thread, one at a time (a concurrent call finds nothing).
#pragma once

#include <cstdint>

#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// Implements AgentEntry::waiting (wire/agent_entry.h). Finds nothing in wall-clock mode, whose
// samples show waits themselves. Takes tens to hundreds of microseconds for each thread that waits
// elsewhere than last time, otherwise one microsecond.
uint32_t FindWaiting(wire::WaitingThread* out, uint32_t room);

// Waits until calls of FindWaiting that began before have ended, at most some milliseconds.
void WaitForLook();

}  // namespace gprofx::agent
