// By what clock_gettime of our own reads clocks: what the kernel maps into each program for it, or
// its system call, where threads may fault as they read the processor's clock (PR_SET_TSC). Any
// thread, async-signal-safe.
#pragma once

namespace gprofx::agent {

// From now on, in all threads.
void ReadClockBySystemCall();
// machine::Ticks() may fault, too.
bool ClockMayFault();

}  // namespace gprofx::agent
