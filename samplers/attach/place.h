// Stops one thread of a process at a place where it may be made to call pthread_create
// (safe_place.h): thread after thread, those first that are likely to stand at one.
//
// A thread that is stopped and not used goes on as it was. One tracer at a time; for milliseconds,
// at most three seconds.
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
  HostNs held = 0;              // how long a thread stood still, all attempts together
  int attempts = 0;             // threads that were stopped
  bool by_interpreter = false;  // it loaded the agent itself: none was stopped
};

struct Place {
  const RemoteMemory& memory;
  const LoadedObjects& objects;
  const ProcessHandle& process;
};

// `give_up`: true ends the search; may be null.
Result<std::unique_ptr<StoppedThread>> StopSomewhereSafe(const Place& at,
                                                         const std::atomic<bool>* give_up,
                                                         AttachFacts& facts);

std::string ProcessName(pid_t pid);
Error ProcessIsGone(pid_t pid);

}  // namespace gprofx::attach
