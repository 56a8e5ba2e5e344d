// Selects how our own clock_gettime reads clocks. By default it calls the vDSO. If reading the TSC
// may fault in a thread (PR_SET_TSC), it makes the system call. Async-signal-safe; may be called
// from any thread.
#pragma once

namespace gprofx::agent {

// Makes all threads read clocks by the system call from now on.
void ReadClockBySystemCall();
// True after a call of ReadClockBySystemCall. Then machine::Ticks() may fault, too.
bool ClockMayFault();

}  // namespace gprofx::agent
