// Threads in which a sample would be seen: whose system calls go to a handler of the program's own
// (PR_SET_SYSCALL_USER_DISPATCH, as Wine has it), as each of ours would and the return from our
// handler. Such a thread is not sampled. Its CPU time has a row of its own.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Ends the calling thread's samples, and lets them go on.
void RestThisThread();
void WakeThisThread();

// Makes the program's prctl(2) by `enter`, which switches that on or off for the calling thread.
template <class Enter>
long ChangeDispatch(bool on, Enter enter) {
  if (on) RestThisThread();
  const long result = enter();
  if ((result == 0) != on) WakeThisThread();
  return result;
}

// So much CPU time of the thread passed meanwhile.
void NoteDispatched(ThreadState* state, int64_t ns);

}  // namespace gprofx::agent
