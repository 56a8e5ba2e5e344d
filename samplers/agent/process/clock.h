// Selects how our own clock_gettime reads clocks: by the vDSO, or by the system call where threads
// may fault when they read the TSC (PR_SET_TSC). Any thread, async-signal-safe.
#pragma once

namespace gprofx::agent {

// Takes effect from now on in all threads.
void ReadClockBySystemCall();
// If true, machine::Ticks() may fault too.
bool ClockMayFault();

}  // namespace gprofx::agent
