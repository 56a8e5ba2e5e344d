// Manages the signals that the agent shares with the program. Two are for samples (wire/layout.h).
// kTickSignal comes from our timers; such a signal is called a tick. kAskSignal comes from perf
// events and from the collector; such a signal is called an ask. The other two are SIGSEGV and
// SIGBUS, for safe loads.
//
// The kernel calls our front handlers (fronts.h). sigaction(2) and its relatives are interposed
// (interpose.cpp); the program sees and sets its own actions as if we were absent. A signal that is
// not ours goes to the program's action with everything that its flags promise: mask, alternate
// stack, SA_RESETHAND, SA_NODEFER, and the default action with the right exit status.
// SetProgramAction and ShowProgramAction may be called from any thread and from handlers; they are
// lock-free.
//
// A signal that the program ignores is ignored in the kernel too, because that persists over an
// exec. Our handlers are replaced by a program that sets its actions by the raw system call (Go) or
// that was entered late. For faults the agent accepts that; samples then copy memory instead of
// loading it. The action for ticks is taken back where a thread is created, because libc sets its
// own there. Where the action for asks is not ours, there are no perf events and the collector
// sends no asks.
#pragma once

#include <csignal>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::agent {

bool IsShared(int signal);

using RealAction = int (*)(int, const struct sigaction*, struct sigaction*);

// Installs the front handlers. `real` is libc's own sigaction. The actions that the handlers
// replace are kept as the program's. Called once, at load.
void InstallFrontHandlers(RealAction real);

// Wherever our handler is still installed, puts the program's action back into the kernel. The
// caller guarantees that none of our signals is sent any more. Do not call from signal handlers.
void RestoreProgramActions();

// Works like sigaction(2), for a shared signal: sets the program's action and shows the program its
// previous one. Always returns 0.
int SetProgramAction(int signal, const struct sigaction* action, struct sigaction* old);
// If *action, the kernel's action for a shared signal, is ours, replaces it by the one that the
// program set.
void ShowProgramAction(int signal, struct sigaction* action);

// True if the kernel's actions for SIGSEGV and SIGBUS are ours. Makes one system call for each
// action that it reads. Reads the one for SIGBUS only if `thorough`; otherwise assumes that it is
// ours unless the program ignores the signal. Async-signal-safe.
bool FaultsAreOurs(bool thorough);
// Returns the latest result of FaultsAreOurs in this process, without a system call.
bool FaultsWereOurs();

// True if the kernel's action for ticks (or asks) is ours. Asks count as ours only if the program
// has no handler for them. Of two asks that arrive at once the kernel keeps one, so the program
// could lose its own (Go does not repeat its preemption signal). Makes one system call.
// Async-signal-safe.
bool TicksAreOurs();
bool AsksAreOurs();

// If the kernel's action for ticks is no longer ours, installs our handler again, in front of that
// action. Runs in signal handlers.
void RetakeTicks();

// NoteProgramAction records whether the program's handler for `signal` runs on the alternate stack.
// SignalsOnAlternateStack returns all such signals except faults. Our handler blocks them when it
// has left the alternate stack, because their frames would overwrite its own.
void NoteProgramAction(int signal, const struct sigaction* action);
uint64_t SignalsOnAlternateStack();

// NoteProgramReadsAsks records that the program reads asks by signalfd(2). From then on all asks
// belong to the program. ProgramReadsAsks returns whether that happened.
void NoteProgramReadsAsks();
bool ProgramReadsAsks();

// Blocks or unblocks signals for the calling thread; `how` is SIG_BLOCK or SIG_UNBLOCK. Uses the
// raw system call. Returns the previous mask. Bit N-1 is signal N.
constexpr uint64_t kFaultBits = uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1);
constexpr uint64_t kTickBit = uint64_t{1} << (wire::kTickSignal - 1);
constexpr uint64_t kAskBit = uint64_t{1} << (wire::kAskSignal - 1);
uint64_t ChangeOwnMask(int how, uint64_t bits);

// Returns signals 1 to 64 of a set; bit N-1 is signal N.
uint64_t FirstWord(const sigset_t& set);

}  // namespace gprofx::agent
