// Declares the protocol between the recorder and the agent while the agent enters or leaves a
// running program.
//
// The request is in memory that the recorder mapped in the target. A thread that the recorder
// created in the target (samplers/attach/injected_code.h) loads the agent and passes the request to
// its function kAttachName. If an interpreter loads the agent (samplers/attach/safe_point.h), the
// agent creates both the memory and the thread and reports the address (kAttachModule); the rest is
// the same.
//
// The recorder writes `go`. The thread in the target writes `state`, `result` and `error`. It
// unmaps the memory when `go` is kGoLeave, or after ten seconds in which `go` does not change. POD.
// Both sides come from one build, which `version` identifies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr char kAttachName[] = "gprofx_agent_attach";
// Version of this protocol, which contains the version of the shared memory.
constexpr uint32_t kAttachVersion = 2 << 16 | kVersion;

// Names that the agent shares with the script that loads it as a Python module.
//
// The module's init function never creates a module. It appends its answer to the file that the
// script's variable kAttachAnswerFile (bytes) names. kAttachAnswer is the format of the answer (for
// scanf), with the address of the request and kAttachVersion. If the script stores an exception in
// its variable kAttachMet, the agent raises it in the program's main thread.
constexpr char kAttachModule[] = "gprofx_agent";
constexpr char kAttachAnswerFile[] = "answer", kAttachMet[] = "met";
constexpr char kAttachAnswer[] = "gprof-x waits at %lx version %x";

enum AttachAction : uint32_t { kAttachBegin = 1, kAttachEnd = 2 };

enum AttachGo : uint32_t {
  kGoWait = 0,
  kGoReleased = 1,  // the stopped thread runs again
  kGoClosed = 2,    // kAttachEnd: perf events are closed and send no more signals
  kGoLeave = 3,     // the answer was read
};

enum AttachState : uint32_t {
  kAttachWaits = 0,
  // kAttachEnd: there are no timers and no handler runs; the thread waits for kGoClosed.
  kAttachQuiet = 1,
  kAttachDone = 2,  // `result` is valid
};

enum AttachResult : uint32_t {
  kAttachOk = 0,
  kAttachNotLoaded = 1,  // `error` holds the loader's message
  kAttachOtherVersion = 2,
  kAttachRecorded = 3,     // another recorder records the process
  kAttachUnreachable = 4,  // the recorder's memory cannot be opened from the process
  kAttachUnfit = 5,        // the process must not be sampled; `reason` says why
  kAttachNoRoom = 6,
  kAttachStays = 7,        // kAttachEnd: our signal handlers stay, but do nothing
  kAttachNotRecorded = 8,  // kAttachEnd: nothing was recorded
};

struct AttachRequest {
  std::atomic<uint32_t> go;
  std::atomic<uint32_t> state;
  uint32_t version;
  uint32_t action;
  uint32_t result;
  uint32_t reason;        // NotSampled
  uint64_t begin, bytes;  // address and size of the request's mapping
  uint64_t thread;        // the thread that serves the request (pthread_t)
  // Addresses of functions in the target. `entry` is 0 if the agent is not loaded.
  uint64_t entry, pthread_detach, dlopen, dlsym, dlerror, munmap;
  uint64_t open_flags;
  int64_t file;       // descriptor of the copy of the agent, closed after it was loaded; -1 = none
  char name[32];      // kAttachName
  char library[512];  // path of the agent
  char session[256];  // value of kSessionVariable
  char error[512];
  int64_t served_by;  // id of the thread that answered, in its own PID namespace
};

}  // namespace gprofx::wire
