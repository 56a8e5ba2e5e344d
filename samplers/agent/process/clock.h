// Selects how our own clock_gettime reads clocks. The default is the vDSO. Where the TSC may fault
// when a thread reads it (PR_SET_TSC), the system call is used. Any thread, async-signal-safe.
#pragma once

namespace gprofx::agent {

// Makes all threads read clocks by the system call from now on.
void ReadClockBySystemCall();
// True after ReadClockBySystemCall. machine::Ticks() may then fault, too.
bool ClockMayFault();

}  // namespace gprofx::agent
