// Stops sampling threads whose system calls go to a handler of the program
// (PR_SET_SYSCALL_USER_DISPATCH, used by Wine). Our own system calls and the return from our signal
// handler would go there too, so the program would notice a sample. The thread's CPU time is
// reported in a row of its own.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// RestThisThread stops sampling of the calling thread, WakeThisThread resumes it.
void RestThisThread();
void WakeThisThread();

// Switches the dispatch on or off for the calling thread. Calls `enter`, which makes the program's
// prctl(2), and returns its result.
template <class Enter>
long ChangeDispatch(bool on, Enter enter) {
  if (on) RestThisThread();
  const long result = enter();
  if ((result == 0) != on) WakeThisThread();
  return result;
}

// Records `ns` of CPU time that the thread used while its system calls were dispatched.
void NoteDispatched(ThreadState* state, int64_t ns);

}  // namespace gprofx::agent
