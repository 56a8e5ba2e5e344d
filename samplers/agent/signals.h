// The signals that the agent shares with the program: SIGPROF, SIGTRAP (samples), SIGSEGV, SIGBUS
// (safe loads).
//
// The kernel knows our front handlers; sigaction(2) and its relatives are interposed
// (interpose.cpp), so that the program sees and sets its own actions as if we were not there. A
// signal that is not ours goes to the program's action with everything that its flags promise:
// mask, alternate stack, SA_RESETHAND, SA_NODEFER, default action with the right exit status. Set
// and Get may be called from any thread and from handlers; lock-free.
#pragma once

#include <csignal>

namespace gprofx::agent {

bool IsShared(int signal);

using RealAction = int (*)(int, const struct sigaction*, struct sigaction*);

// Installs the front handlers by libc's own sigaction, keeping the present actions as the
// program's. Once, at load.
void InstallFrontHandlers(RealAction real);

// What sigaction(2) means for a shared signal. 0 or an errno.
int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old);

// True while the kernel's action for the shared signals is ours (a runtime that calls rt_sigaction
// by itself replaces them).
bool FrontHandlersInPlace();

// Does the program handle this signal itself?
bool ProgramHandles(int signal);

// Blocks or unblocks our sampling signals for the calling thread, by the kernel call itself.
void SetSamplingSignals(int how);

}  // namespace gprofx::agent
