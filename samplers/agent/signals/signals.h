// The signals that the agent shares with the program: two for samples, and SIGSEGV and SIGBUS for
// safe loads. Of the two (wire/layout.h), kTickSignal comes from our timers and is called a tick.
// kAskSignal comes from perf events and from the collector and is called an ask.
//
// The kernel calls our front handlers. sigaction(2) and its relatives are interposed
// (interpose.cpp), so that the program sees and sets its own actions as if we were absent. A signal
// that is not ours goes to the program's action with everything that its flags promise: mask,
// alternate stack, SA_RESETHAND, SA_NODEFER, and the default action with the right exit status.
// SetProgramAction and ShowProgramAction may be called from any thread and from handlers;
// lock-free.
//
// A signal that the program ignores is ignored in the kernel too, because that persists over an
// exec. A program that sets its actions by the raw system call (Go), or is entered late, replaces
// our handlers. For faults the agent accepts that, and samples then copy memory instead of loading
// it. The action for ticks is reclaimed where a thread is created, because libc sets its own there.
// Where asks are not ours there are no perf events, and the collector sends no asks.
#pragma once

#include <csignal>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::agent {

bool IsShared(int signal);

using RealAction = int (*)(int, const struct sigaction*, struct sigaction*);

// Installs the front handlers with libc's own sigaction and keeps the present actions as the
// program's. Called once, at load.
void InstallFrontHandlers(RealAction real);

// Restores the program's actions in the kernel where our handler is still installed. The caller
// guarantees that none of our signals is sent any more. Not for handlers.
void RestoreProgramActions();

// Implements sigaction(2) for a shared signal. Returns 0 or an errno.
int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old);
// Replaces the kernel's action for a shared signal by the one that the program set.
void ShowProgramAction(int signal, struct sigaction* action);

// True while the kernel's actions for both faults are ours. Makes one system call; only if
// `thorough`, makes a second one, which checks SIGBUS. Async-signal-safe.
bool FaultsAreOurs(bool thorough);
// Returns the latest result of FaultsAreOurs in this process, without a system call.
bool FaultsWereOurs();

// True if the kernel's action for ticks (or asks) is ours. Asks are ours only if the program has no
// handler for them: of two that arrive at once the kernel keeps one, so the program could lose its
// own (Go's preemption signal would not be repeated). One system call. Async-signal-safe.
bool TicksAreOurs();
bool AsksAreOurs();

// If our tick handler was replaced without our knowledge, puts ours in front of the new one. Signal
// path.
void RetakeTicks();

// NoteProgramAction records whether the program's handler for `signal` runs on the alternate stack.
// SignalsOnAlternateStack returns all such signals except faults. Our handler blocks them when it
// has left the alternate stack: their frames would overwrite its own.
void NoteProgramAction(int signal, const struct sigaction* action);
uint64_t SignalsOnAlternateStack();

// Records that the program reads asks by signalfd(2). From then on they are the program's,
// permanently.
void NoteProgramReadsAsks();
bool ProgramReadsAsks();

// Blocks or unblocks signals for the calling thread by the raw system call. Returns the previous
// mask. Bit N-1 is signal N.
constexpr uint64_t kFaultBits = uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1);
constexpr uint64_t kTickBit = uint64_t{1} << (wire::kTickSignal - 1);
constexpr uint64_t kAskBit = uint64_t{1} << (wire::kAskSignal - 1);
uint64_t ChangeOwnMask(int how, uint64_t bits);

// Returns signals 1 to 64 of a set in the same format.
uint64_t FirstWord(const sigset_t& set);

}  // namespace gprofx::agent
