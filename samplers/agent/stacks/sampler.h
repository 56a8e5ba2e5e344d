// Signal path. One sample: native walk, Python walk, merge, intern, append to the ring.
#pragma once

#include <csignal>

#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// True if the signal was one of ours (whether or not it became a sample). Async-signal-safe; 1.3
// to 2.5 us.
bool HandleSample(int signal, siginfo_t* info, void* ucontext);

// The state of the calling thread, for signals that carry no cookie (O_ASYNC).
void SetCurrentThread(ThreadState* state);
// Where the calling thread's stack begins, a little below the caller's frames, and how large it is.
void NoteOwnStack(uint64_t begin, uint64_t bytes);

extern constinit thread_local ThreadState* t_current;
// A thread made by clone(2) may share the thread-local storage of the one that made it, and one
// that was adopted may not have been told yet. `state`: what its storage says.
ThreadState* AdoptedThread(ThreadState* state);

inline ThreadState* CurrentThread() {
  if (!g_session.joined()) return nullptr;
  ThreadState* state = t_current;
  if (state != nullptr && state->recording != g_session.recording()) state = nullptr;
  return AnyAdopted() ? AdoptedThread(state) : state;
}

}  // namespace gprofx::agent
