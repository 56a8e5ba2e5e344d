// Reports the life of this process to the collector: the start and end of its threads, its fork
// children, its exec and its end.
//
// Most fork children run another program or end before a clock tick samples them. Such a child gets
// no region, which would cost memory, mappings and system calls. It gets only a timer, and the
// timer's first signal makes it join the recording. The child's CPU time is known anyway. Its CPU
// clock starts at 0 and continues over an exec, and its parent learns the total when it waits for
// the child.
//
// Everything is async-signal-safe except MakeThreadKey. A vfork child runs in its parent's memory;
// NoteProcessEnd does nothing there.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// True if the calling code runs in the process that joined the recording. False in a vfork child,
// which runs in its parent's memory.
bool IsOwnProcess();

// Creates the thread-specific key whose destructor runs when a thread ends. Called once, at load.
void MakeThreadKey();
// Starts sampling the calling thread. Only CPU time after `from_cpu_ns` of its clock counts.
void StartThisThread(ThreadState* state, int64_t from_cpu_ns, Signal signal = Signal::kOpened);
// Ends sampling of the calling thread, which continues to run.
void StopThisThread();
// Records the calling thread's present name. Called when the thread has changed it.
void NoteOwnName();

// Called in a fork child before anything else of the agent. `sampled` is true if the thread that
// forked was sampled.
void StartForkChild(bool sampled);
// If this is a fork child that has no region yet, claims one. Returns the calling thread's state.
// Returns null if this is no such child or no region is free.
ThreadState* JoinPostponed(Signal signal = Signal::kOpened);

// If this is a fork child without a region, makes sure that it never gets one.
void EndPostponed();

// During the lifetime of this object, no signal makes a fork child join. Joining would replace the
// region and the module tables while a call of the program reads them. At most one tick is lost.
class NoJoining {
 public:
  NoJoining();
  ~NoJoining();
  NoJoining(const NoJoining&) = delete;
  NoJoining& operator=(const NoJoining&) = delete;

 private:
  const bool held_;
};

// Returns the CPU time in ns of all children of this process that were reaped so far.
int64_t ChildrenCpuNs();

// Records the CPU clocks of all threads. Called when the process is about to end or to exec. The
// process may continue if that fails.
void NoteProcessEnd();
// Does the work of NoteProcessEnd before an exec. Called by the exec wrappers.
void NoteExec();
// Records whether the program that the process is about to exec will run without samples. Called
// again with false if the exec fails.
void NoteUnsampledExec(bool is_next);

}  // namespace gprofx::agent
