// The life of this process as the collector needs to know it: its threads' start and end, a fork
// child's way to a region of its own, its last word.
//
// Most fork children run another program or end before a tick of the clock finds them. Such a child
// gets no region (memory, mappings, system calls) but a timer alone; the first signal of that timer
// joins it to the recording. Its CPU time is known all the same: by the CPU clock, which begins at
// 0 in a fork child and goes on over exec, and by the parent, which waits for it.
//
// Async-signal-safe, all of it, but MakeThreadKey. A vfork child runs in its parent's memory:
// NoteProcessEnd does nothing there.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// False in a vfork child, which runs in its parent's memory.
bool IsOwnProcess();

// Once, at load: makes known when a thread ends.
void MakeThreadKey();
// Begins sampling of the calling thread; its CPU clock counts from `from_cpu_ns`.
void StartThisThread(ThreadState* state, int64_t from_cpu_ns, Signal signal = Signal::kOpened);
// Ends sampling of the calling thread while it runs on.
void StopThisThread();
// The calling thread has got a name.
void NoteOwnName();

// In a fork child, first of all; `sampled`: the thread that forked was.
void StartForkChild(bool sampled);
// A fork child without a region gets one now. Returns the calling thread's state; null: it is no
// such child, or there is no room.
ThreadState* JoinPostponed(Signal signal = Signal::kOpened);

// A fork child that has none will not get one any more.
void EndPostponed();

// While one lives, no signal joins a fork child: that would take the region and the tables of
// modules from under whoever reads them in the program's own calls. A tick is lost at most.
class NoJoining {
 public:
  NoJoining();
  ~NoJoining();
  NoJoining(const NoJoining&) = delete;
  NoJoining& operator=(const NoJoining&) = delete;

 private:
  const bool held_;
};

// CPU time of the children that were waited for so far.
int64_t ChildrenCpuNs();

// The process is about to end or to become another program. It may live on, if that fails.
void NoteProcessEnd();
// The same before exec only; for the wrapper of exec.
void NoteExec();
// ... by one that is not sampled; false: it goes on after all.
void NoteUnsampledExec(bool is_next);

}  // namespace gprofx::agent
