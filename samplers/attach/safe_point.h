// An interpreter of CPython 3.14 or newer is asked to load the agent itself, at its next safe point
// (PEP 768). No thread is stopped; what the loading takes is taken by the thread that does it.
//
// Rights are those of ptrace(2), as memory of the process is read and written. Where no answer
// comes in time, as where all threads wait in C, the request is taken back and nothing stays.
// Blocks for a second at most; a thread that traces nobody, of its own for TargetFolder's sake.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "samplers/attach/loaded_objects.h"
#include "samplers/attach/process_handle.h"
#include "samplers/attach/remote_memory.h"

namespace gprofx::attach {

struct SafePointSetup {
  std::string agent;                   // as we see it
  bool copy = false;                   // the process does not see that file
  const std::function<void()>& serve;  // called while it is waited for
  const std::atomic<bool>* give_up;    // once true it is not waited for; may be null
};

// Address of the wire::AttachRequest at which a thread of the agent waits; none: the process cannot
// be asked, or did not answer.
std::optional<uint64_t> EnterAtSafePoint(const ProcessHandle& process, const RemoteMemory& memory,
                                         const LoadedObjects& objects, const SafePointSetup& setup);

}  // namespace gprofx::attach
