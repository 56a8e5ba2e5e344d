// Reports the life of this process to the collector: the start and end of its threads, how a fork
// child gets its own region, and the end of the process.
//
// Most fork children run another program or end before a clock tick samples them. Such a child gets
// no region (memory, mappings, system calls), only a timer; the timer's first signal joins it to
// the recording. Its CPU time is known anyway: from the CPU clock, which starts at 0 in a fork
// child and continues over exec, and from the parent, which waits for it.
//
// Everything is async-signal-safe except MakeThreadKey. A vfork child runs in its parent's memory:
// NoteProcessEnd does nothing there.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// False in a vfork child, which runs in its parent's memory.
bool IsOwnProcess();

// Registers for the end of threads. Called once, at load.
void MakeThreadKey();
// Starts sampling the calling thread. Its CPU clock counts from `from_cpu_ns`.
void StartThisThread(ThreadState* state, int64_t from_cpu_ns, Signal signal = Signal::kOpened);
// Stops sampling the calling thread, which continues to run.
void StopThisThread();
// Records that the calling thread has changed its name.
void NoteOwnName();

// Called first in a fork child. `sampled`: the forking thread was sampled.
void StartForkChild(bool sampled);
// Gives a fork child without a region one now. Returns the calling thread's state. Returns null if
// this is no such child or there is no room.
ThreadState* JoinPostponed(Signal signal = Signal::kOpened);

// Ensures that a fork child without a region never gets one.
void EndPostponed();

// During its lifetime, no signal joins a fork child: joining would replace the region and the
// module tables while the program's own calls read them. At most one tick is lost.
class NoJoining {
 public:
  NoJoining();
  ~NoJoining();
  NoJoining(const NoJoining&) = delete;
  NoJoining& operator=(const NoJoining&) = delete;

 private:
  const bool held_;
};

// Returns the CPU time of all children reaped so far.
int64_t ChildrenCpuNs();

// Called when the process is about to end or to become another program. If the end or the exec
// fails, the process may continue.
void NoteProcessEnd();
// The same before an exec; for the exec wrappers.
void NoteExec();
// Records whether the next exec starts a program that is not sampled. False undoes it after a
// failed exec.
void NoteUnsampledExec(bool is_next);

}  // namespace gprofx::agent
