// The signals that the agent shares with the program: two for samples (kTickSignal of its timers,
// kAskSignal of perf events and of the collector, wire/layout.h) and SIGSEGV, SIGBUS (safe loads).
//
// The kernel knows our front handlers; sigaction(2) and its relatives are interposed
// (interpose.cpp), so that the program sees and sets its own actions as if we were not there. A
// signal that is not ours goes to the program's action with everything that its flags promise:
// mask, alternate stack, SA_RESETHAND, SA_NODEFER, default action with the right exit status. Set
// and Get may be called from any thread and from handlers; lock-free.
//
// What the program ignores is ignored by the kernel, as that outlives an exec. A program that sets
// its actions by the system call itself (Go), or is entered late, takes them from us. The agent
// leaves faults so; samples then copy memory instead of loading it. It takes ticks back where a
// thread is made: libc takes them there. Where asks are not ours there is no perf event, and nobody
// asks.
#pragma once

#include <csignal>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::agent {

bool IsShared(int signal);

using RealAction = int (*)(int, const struct sigaction*, struct sigaction*);

// Installs the front handlers by libc's own sigaction, keeping the present actions as the
// program's. Once, at load.
void InstallFrontHandlers(RealAction real);

// Gives the program's actions back to the kernel, each where ours is still installed. The caller
// made sure that no signal of ours is sent any more. Not for handlers.
void RestoreProgramActions();

// What sigaction(2) means for a shared signal. 0 or an errno.
int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old);
// The kernel's action for a shared signal as the program knows it.
void ShowProgramAction(int signal, struct sigaction* action);

// True while the kernel's actions for faults are ours. One system call; the second one only for
// `thorough`. Async-signal-safe.
bool FaultsAreOurs(bool thorough);
// The answer of the latest such look in this process, without a system call.
bool FaultsWereOurs();

// Is the kernel's action for ticks, for asks, ours? Asks only where the program has no handler for
// them: of two that come at once the kernel keeps one, and the program would miss its own (Go's
// preemption would not come again). One system call. Async-signal-safe.
bool TicksAreOurs();
bool AsksAreOurs();

// If somebody replaced our handler of ticks behind our back: puts ours in front of theirs. Signal
// path.
void RetakeTicks();

// Signals whose handlers the program set to run on alternate stacks, by sigaction; without those
// for faults. A handler that has left the alternate stack must block them: their frames would be
// laid over its own.
void NoteProgramAction(int signal, const struct sigaction* action);
uint64_t SignalsOnAlternateStack();

// Asks are the program's, which reads them by signalfd(2). For good.
void NoteProgramReadsAsks();
bool ProgramReadsAsks();

// Blocks or unblocks signals for the calling thread, by the kernel call itself; returns the mask of
// before. Bit N-1 is signal N.
constexpr uint64_t kFaultBits = uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1);
constexpr uint64_t kTickBit = uint64_t{1} << (wire::kTickSignal - 1);
constexpr uint64_t kAskBit = uint64_t{1} << (wire::kAskSignal - 1);
uint64_t ChangeOwnMask(int how, uint64_t bits);

// Signals 1 to 64 of a set as such bits.
uint64_t FirstWord(const sigset_t& set);

}  // namespace gprofx::agent
