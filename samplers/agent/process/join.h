// How the agent finds the recording's memory: by the path of the collector's descriptor or, where
// the process may not open that (another user, another root, other namespaces), by asking the
// collector's socket for the descriptor. wire/layout.h has the format of the session variable.
//
// Async-signal-safe; nothing stays open but what is returned. Asking takes 200 ms at most; no wait
// where the collector is gone.
#pragma once

#include <cstdint>

namespace gprofx::agent {

struct SessionName {
  char path[64] = {};         // /proc/PID/fd/N
  char socket_name[64] = {};  // "" = there is none
  uint64_t secret = 0;
  char spool[64] = {};  // /proc/PID/fd/SPOOL; "" = there is none
};

// False: not a session variable, `name` is left half filled.
bool ParseSessionName(const char* value, SessionName* name);

// The memory by its path; -1 = it cannot be opened.
int OpenByPath(const SessionName& name);

// The file for the code of GPU modules; -1 = there is none for this user. The caller closes it.
int OpenSpool(const SessionName& name);

// The memory from the collector, which also says the number of this process as it sees it. -1 = it
// did not answer.
int AskCollector(const SessionName& name, int64_t* host_pid);

// Would one of the two work, for this process and for what it becomes by exec?
bool CanReach(const SessionName& name);

}  // namespace gprofx::agent
