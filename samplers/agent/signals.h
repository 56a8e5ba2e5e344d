// The signals that the agent shares with the program: one for samples (SIGPROF; SIGURG in wall clock
// mode, whose default is to be ignored, because there the signal comes from another process) and
// SIGSEGV, SIGBUS (safe loads).
//
// Where the program is entered late its calls of sigaction are not seen, so it may set any action for
// the sampling signal: SIGURG then, too, unless it has a handler for that.
//
// The kernel knows our front handlers; sigaction(2) and its relatives are interposed
// (interpose.cpp), so that the program sees and sets its own actions as if we were not there. A
// signal that is not ours goes to the program's action with everything that its flags promise:
// mask, alternate stack, SA_RESETHAND, SA_NODEFER, default action with the right exit status. Set
// and Get may be called from any thread and from handlers; lock-free.
//
// A program that sets its actions by the system call itself (Go) takes them from us. For the fault
// signals that is left so: FaultsAreOurs says it, and samples then copy memory instead of loading
// it. The sampling signal is taken back where a thread is made.
#pragma once

#include <csignal>
#include <cstdint>

namespace gprofx::agent {

int SamplingSignal();
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

// Is the kernel's action for the sampling signal ours? One system call. Async-signal-safe.
bool SamplingSignalIsOurs();

// If the program replaced our handler of the sampling signal behind libc's back: puts ours in front
// of the program's. Not for handlers.
void RetakeSamplingSignal();

// Signals whose handlers the program set to run on alternate stacks, by sigaction; without those for
// faults. A handler that has left the alternate stack must block them: their frames would be laid
// over its own.
void NoteProgramAction(int signal, const struct sigaction* action);
uint64_t SignalsOnAlternateStack();

// Does the program handle this signal itself?
bool ProgramHandles(int signal);

// Blocks or unblocks signals for the calling thread, by the kernel call itself; returns the mask of
// before. Bit N-1 is signal N.
constexpr uint64_t kFaultBits = uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1);
uint64_t ChangeOwnMask(int how, uint64_t bits);
uint64_t SamplingBit();

// Signals 1 to 64 of a set as such bits.
uint64_t FirstWord(const sigset_t& set);

}  // namespace gprofx::agent
