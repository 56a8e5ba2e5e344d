// The agent enters a process that runs already, and leaves it.
//
// One thread of the process is stopped at a safe place (safe_place.h), for about a millisecond, and
// made to call pthread_create once; the new thread loads the agent, so that no lock which the
// stopped one holds matters. Where no safe place is found in time the process is left as it was.
// Uses ptrace(2): one thread of ours, and no other tracer. Not for processes of our own making.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "core/ids.h"
#include "core/result.h"

namespace gprofx {

struct AttachSetup {
  std::string agent;    // path of libgprofx-agent.so, as we see it
  std::string session;  // value of GPROFX_SESSION
  std::function<void()> serve;  // called while the agent is waited for: it may ask for memory
};

struct AttachFacts {
  HostNs held = 0;      // how long a thread stood still, all attempts together
  int attempts = 0;     // threads that were stopped
};

// Begins: its threads are sampled when this returns.
Result<AttachFacts> EnterProcess(pid_t pid, const AttachSetup& setup);

// Ends: nothing is left on. `close_events` is called when no thread opens a perf event any more;
// then all of the process must be closed. An error says what stays.
Result<AttachFacts> LeaveProcess(pid_t pid, const AttachSetup& setup,
                                 const std::function<void()>& close_events);

}  // namespace gprofx
