// Finds the recording's memory: by the path of the collector's descriptor or, where the process may
// not open that (another user, another root, other namespaces), by requesting the descriptor from
// the collector's socket. wire/layout.h documents the format of the session variable.
//
// Async-signal-safe; only the returned descriptor stays open. A request takes 200 ms at most and
// does not wait if the collector is gone.
#pragma once

#include <cstdint>

namespace gprofx::agent {

struct SessionName {
  char path[64] = {};         // /proc/PID/fd/N
  char socket_name[64] = {};  // "" = none
  uint64_t secret = 0;
  char spool[64] = {};  // /proc/PID/fd/SPOOL; "" = none
};

// Returns false if `value` is not a session variable; `name` is then partly written.
bool ParseSessionName(const char* value, SessionName* name);

// Opens the memory by its path. Returns -1 on failure.
int OpenByPath(const SessionName& name);

// Opens the file for the code of GPU modules. Returns -1 if this user has none. The caller closes
// it.
int OpenSpool(const SessionName& name);

// Requests the memory from the collector, which also returns this process's id in its own
// namespace. Returns -1 if it did not reply.
int AskCollector(const SessionName& name, int64_t* host_pid);

// True if one of the two ways works for this process and for the program that it execs.
bool CanReach(const SessionName& name);

}  // namespace gprofx::agent
