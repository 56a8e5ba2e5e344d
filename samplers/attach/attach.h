// Loads the agent into a running process and removes it again.
//
// If the process runs CPython 3.14 or newer, the interpreter is asked to load the agent itself at
// its next safe point (safe_point.h), and no thread is stopped. In all other cases, and to remove
// the agent, one thread of the process is stopped at a safe place (safe_place.h) for about a
// millisecond and made to call pthread_create once. The new thread loads the agent, so locks that
// the stopped thread holds do not matter. If no safe place is found in time, the process is left
// unchanged.
//
// Uses ptrace(2) from a thread of its own that ends with the call. The process must have no other
// tracer. May be called from any thread; `serve` and `close_events` are called during the call. Not
// for processes that gprof-x started.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "samplers/attach/place.h"
#include "samplers/attach/process_handle.h"

namespace gprofx::attach {

struct AttachSetup {
  std::string agent;    // path of libgprofx-agent.so as the recorder sees it
  std::string session;  // value of GPROFX_SESSION
  // Called during the wait for the agent, which may request its memory.
  std::function<void()> serve;
  // If it becomes true, the search for a safe place stops.
  const std::atomic<bool>* give_up = nullptr;
};

// Starts recording. When the function returns, the threads of the process are sampled.
Result<AttachFacts> EnterProcess(const ProcessHandle& process, const AttachSetup& setup);

// Ends recording and leaves nothing active in the process. Calls `close_events` when threads open
// no more perf events; it must close all perf events of the process. If this fails, the error says
// what is still active.
Result<AttachFacts> LeaveProcess(const ProcessHandle& process, const AttachSetup& setup,
                                 const std::function<void()>& close_events);

}  // namespace gprofx::attach
