// Reports the life of this process to the collector: the start and end of its threads, its fork
// children, its exec and its end.
//
// Most fork children run another program or end before a clock tick samples them. Such a child gets
// no region, which would cost memory, mappings and system calls. It gets only a timer, and the
// timer's first signal makes it join the recording. The child's CPU time is known anyway: its CPU
// clock starts at 0 and continues over an exec, and its parent learns the total when it waits for
// the child.
//
// Everything is async-signal-safe except MakeThreadKey. A vfork child runs in its parent's memory;
// NoteProcessEnd does nothing there.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// True if the calling code runs in the process that joined. False in a vfork child, which runs in
// its parent's memory.
bool IsOwnProcess();

// Registers a function that runs when a thread ends. Called once, at load.
void MakeThreadKey();
// Starts sampling the calling thread. Its CPU clock counts from `from_cpu_ns`.
void StartThisThread(ThreadState* state, int64_t from_cpu_ns, Signal signal = Signal::kOpened);
// Stops sampling the calling thread, which continues to run.
void StopThisThread();
// Records that the calling thread has changed its name.
void NoteOwnName();

// Called in a fork child before anything else. `sampled` is true if the thread that forked was
// sampled.
void StartForkChild(bool sampled);
// If this is a fork child without a region, gives it one now. Returns the calling thread's state.
// Returns null if this is no such child or if there is no free region.
ThreadState* JoinPostponed(Signal signal = Signal::kOpened);

// Makes sure that a fork child without a region never gets one.
void EndPostponed();

// During the lifetime of this object, no signal makes a fork child join. Joining would replace the
// region and the module tables while the program's own calls read them. At most one tick is lost.
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

// Records the clocks of all threads. Called when the process is about to end or to exec. The
// process may continue if that fails.
void NoteProcessEnd();
// Does the same before an exec; called by the exec wrappers.
void NoteExec();
// Records whether the program that the process execs next will not be sampled. Called again with
// false if the exec fails.
void NoteUnsampledExec(bool is_next);

}  // namespace gprofx::agent
