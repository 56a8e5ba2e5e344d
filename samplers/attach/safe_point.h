// Asks an interpreter of CPython 3.14 or newer to load the agent itself at its next safe point (PEP
// 768). No thread is stopped; the thread that loads the agent spends the time.
//
// Needs the rights of ptrace(2), because memory of the process is read and written. If there is no
// answer in time, for example because all threads wait in C code, the request is withdrawn and
// nothing of it remains. Blocks for at most a second. Call it from a thread that traces nobody and
// is used for nothing else, because TargetFolder changes the thread's file rights
// (target_folder.h).
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
  std::string agent;                   // path of the agent as the recorder sees it
  bool copy = false;                   // the process cannot see that file, so it gets a copy
  const std::function<void()>& serve;  // called during the wait
  const std::atomic<bool>* give_up;    // if it becomes true, the wait ends; may be null
};

// Returns the address of the wire::AttachRequest at which a thread of the agent waits. Returns none
// if the process cannot be asked or did not answer.
std::optional<uint64_t> EnterAtSafePoint(const ProcessHandle& process, const RemoteMemory& memory,
                                         const LoadedObjects& objects, const SafePointSetup& setup);

}  // namespace gprofx::attach
