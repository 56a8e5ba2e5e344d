// Threads that would notice a sample: their system calls go to a handler of the program
// (PR_SET_SYSCALL_USER_DISPATCH, used by Wine). Our own system calls and the return from our
// handler would go there too. Such a thread is not sampled. Its CPU time is reported in a row of
// its own.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Stop and resume sampling of the calling thread.
void RestThisThread();
void WakeThisThread();

// Makes the program's prctl(2) through `enter`, which switches the dispatch on or off for the
// calling thread. Returns its result.
template <class Enter>
long ChangeDispatch(bool on, Enter enter) {
  if (on) RestThisThread();
  const long result = enter();
  if ((result == 0) != on) WakeThisThread();
  return result;
}

// Records `ns` of CPU time that the thread used while dispatched.
void NoteDispatched(ThreadState* state, int64_t ns);

}  // namespace gprofx::agent
