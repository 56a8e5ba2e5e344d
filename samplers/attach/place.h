// Stops one thread of a process at a place where it may be made to call pthread_create
// (safe_place.h). Tries one thread after another, the most suitable first.
//
// A thread that is stopped but not used continues as before. A process can have only one tracer at
// a time. Takes milliseconds, at most three seconds.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/model/ids.h"
#include "samplers/attach/loaded_objects.h"
#include "samplers/attach/process_handle.h"
#include "samplers/attach/remote_memory.h"
#include "samplers/attach/stopped_thread.h"

namespace gprofx::attach {

struct AttachFacts {
  HostNs held = 0;              // total time in which we held threads stopped, over all attempts
  int attempts = 0;             // number of threads that were stopped
  bool by_interpreter = false;  // the interpreter loaded the agent; no thread was stopped
};

struct Place {
  const RemoteMemory& memory;
  const LoadedObjects& objects;
  const ProcessHandle& process;
};

// Returns a thread that is stopped at a safe place, or an error if none was found in time. If
// *give_up becomes true, the search ends; `give_up` may be null. Adds to the numbers in `facts`.
Result<std::unique_ptr<StoppedThread>> StopSomewhereSafe(const Place& at,
                                                         const std::atomic<bool>* give_up,
                                                         AttachFacts& facts);

std::string ProcessName(pid_t pid);
Error ProcessIsGone(pid_t pid);

}  // namespace gprofx::attach
