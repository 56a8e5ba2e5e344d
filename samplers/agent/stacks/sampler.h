// Runs in signal handlers. Takes one sample: walks the native and the Python stack, merges them,
// finds the node of the result and appends it to the thread's ring.
#pragma once

#include <csignal>

#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// If the signal is one of ours, takes a sample and returns true. Returns true also if the sample
// had to be dropped. Async-signal-safe; takes 1.3 to 2.5 us.
bool HandleSample(int signal, siginfo_t* info, void* ucontext);

// Sets the state of the calling thread. Needed for signals that do not carry the thread's slot
// (O_ASYNC).
void SetCurrentThread(ThreadState* state);
// Records the bounds of the calling thread's stack. `begin` is approximately its upper end: an
// address slightly below the caller's frames. `bytes` is its size.
void NoteOwnStack(uint64_t begin, uint64_t bytes);
// Records the bounds of the stack of a process's first thread, for a process that was entered late.
// If `begin` is 0 the bounds stay unknown, and every address may be on that stack.
void NoteFirstStack(uint64_t begin, uint64_t bytes);
// Called in a fork child. The calling thread is the only one there, even if it was not the parent's
// first thread. If it runs outside the recorded bounds, discards these.
void ForgetFirstStack();

extern constinit thread_local ThreadState* t_current;
// Returns the calling thread's state, or null if it has none. `state` is the value in its
// thread-local storage, which may be wrong. A thread created by clone(2) may share its creator's
// storage, and an adopted thread may not have its state there yet.
ThreadState* AdoptedThread(ThreadState* state);

inline ThreadState* CurrentThread() {
  if (!g_session.joined()) return nullptr;
  ThreadState* state = t_current;
  if (state != nullptr && state->recording != g_session.recording()) state = nullptr;
  return AnyAdopted() ? AdoptedThread(state) : state;
}

}  // namespace gprofx::agent
