// Signal path. One sample: native walk, Python walk, merge, intern, append to the ring.
#pragma once

#include <csignal>

#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Returns true if the signal was one of ours, whether or not it became a sample. Async-signal-safe;
// takes 1.3 to 2.5 us.
bool HandleSample(int signal, siginfo_t* info, void* ucontext);

// Sets the state of the calling thread, used for signals that carry no cookie (O_ASYNC).
void SetCurrentThread(ThreadState* state);
// Records the bounds of the calling thread's stack. `begin`: its upper end, approximately (an
// address slightly below the caller's frames). `bytes`: its size.
void NoteOwnStack(uint64_t begin, uint64_t bytes);
// The same for the first thread of a process that was entered late; `begin` 0: unknown. Until it is
// known, every address may be on that stack.
void NoteFirstStack(uint64_t begin, uint64_t bytes);
// In a fork child: forgets it if the child runs elsewhere. Another thread forked then, and is the
// first now.
void ForgetFirstStack();

extern constinit thread_local ThreadState* t_current;
// Returns the calling thread's state. A thread created by clone(2) may share its creator's
// thread-local storage, and an adopted thread may not have its state yet. `state`: the value in its
// storage.
ThreadState* AdoptedThread(ThreadState* state);

inline ThreadState* CurrentThread() {
  if (!g_session.joined()) return nullptr;
  ThreadState* state = t_current;
  if (state != nullptr && state->recording != g_session.recording()) state = nullptr;
  return AnyAdopted() ? AdoptedThread(state) : state;
}

}  // namespace gprofx::agent
