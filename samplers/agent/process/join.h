// Finds the recording's shared memory. Opens it by the path of the collector's descriptor. Where
// the process may not do that (another user, another root directory, other namespaces), it requests
// the descriptor from the collector's socket. wire/layout.h documents the format of the session
// variable.
//
// Async-signal-safe. Only the returned descriptor stays open. A request takes 200 ms at most, and
// does not wait if the collector has ended.
#pragma once

#include <cstdint>

namespace gprofx::agent {

struct SessionName {
  char path[64] = {};         // /proc/PID/fd/N
  char socket_name[64] = {};  // "" = none
  uint64_t secret = 0;
  char spool[64] = {};  // /proc/PID/fd/SPOOL; "" = none
};

// Parses the value of the session variable. Returns false if it is malformed; `name` is then partly
// written.
bool ParseSessionName(const char* value, SessionName* name);

// Opens the shared memory by its path. Returns the descriptor, or -1 on failure.
int OpenByPath(const SessionName& name);

// Opens the spool, the file for the code of GPU modules. Returns the descriptor, which the caller
// closes, or -1 if there is none for this user.
int OpenSpool(const SessionName& name);

// Requests the shared memory from the collector. Sets *host_pid to the id of this process in the
// collector's PID namespace. Returns the descriptor, or -1 if the collector did not reply.
int AskCollector(const SessionName& name, int64_t* host_pid);

// True if this process can open the shared memory by its path or through the collector's socket. A
// program that this process execs then can, too.
bool CanReach(const SessionName& name);

}  // namespace gprofx::agent
