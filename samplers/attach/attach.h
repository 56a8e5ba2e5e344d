// The agent enters a process that runs already, and leaves it.
//
// CPython 3.14 and newer is asked to load the agent itself, at its next safe point (safe_point.h):
// no thread is stopped. Else, and to leave, one thread of the process is stopped at a safe place
// (safe_place.h), for about a millisecond, and made to call pthread_create once; the new thread
// loads the agent, so that no lock which the stopped one holds matters. Where no safe place is
// found in time the process is left as it was. Uses ptrace(2), in a thread of its own that ends
// with the call, and no other tracer. Any thread may call, `serve` and `close_events` are called
// meanwhile. Not for processes of our own making.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "samplers/attach/place.h"
#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

struct AttachSetup {
  std::string agent;            // path of libgprofx-agent.so, as we see it
  std::string session;          // value of GPROFX_SESSION
  std::function<void()> serve;  // called while the agent is waited for: it may ask for memory
  const std::atomic<bool>* give_up = nullptr;  // once true no safe place is looked for any more
};

// Begins: its threads are sampled when this returns.
Result<AttachFacts> EnterProcess(const ProcessHandle& process, const AttachSetup& setup);

// Ends: nothing is left on. `close_events` is called when no thread opens a perf event any more;
// then all of the process must be closed. An error says what stays.
Result<AttachFacts> LeaveProcess(const ProcessHandle& process, const AttachSetup& setup,
                                 const std::function<void()>& close_events);

}  // namespace gprofx::attach
