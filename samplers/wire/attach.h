// Protocol between the recorder and the agent while the agent enters or leaves a running program.
//
// The request lies in memory that the recorder mapped in the target. A target thread that the
// recorder created (samplers/attach/injected_code.h) loads the agent and passes the request to its
// function kAttachName. Where an interpreter loads the agent (samplers/attach/safe_point.h), the
// agent creates both the memory and the thread and reports the address (kAttachModule); the rest is
// the same. The recorder writes `go`. The thread in the target writes `state`, `result` and
// `error`. It unmaps the memory when `go` is kGoLeave, or after ten seconds without a change of
// `go`. POD; both sides come from one build, which `version` identifies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr char kAttachName[] = "gprofx_agent_attach";
constexpr uint32_t kAttachVersion = 2 << 16 | kVersion;  // includes kVersion of the memory

// The agent as a Python module. Its init function never creates a module. It appends this text (a
// scanf format) to the file that the loading script names as kAttachAnswerFile (bytes): address of
// the request, kAttachVersion. If the script stores an exception in its variable kAttachMet, the
// agent raises it in the program's main thread.
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
  kAttachQuiet = 1,  // kAttachEnd: timers are gone and no handler runs; waits for kGoClosed
  kAttachDone = 2,   // `result` is valid
};

enum AttachResult : uint32_t {
  kAttachOk = 0,
  kAttachNotLoaded = 1,  // `error` holds the loader's message
  kAttachOtherVersion = 2,
  kAttachRecorded = 3,     // another recorder records the process
  kAttachUnreachable = 4,  // the recorder's memory cannot be opened
  kAttachUnfit = 5,        // see `reason`
  kAttachNoRoom = 6,
  kAttachStays = 7,        // kAttachEnd: signal handlers stay, inert
  kAttachNotRecorded = 8,  // kAttachEnd: nothing was recorded
};

struct AttachRequest {
  std::atomic<uint32_t> go;
  std::atomic<uint32_t> state;
  uint32_t version;
  uint32_t action;
  uint32_t result;
  uint32_t reason;        // NotSampled
  uint64_t begin, bytes;  // of the mapping
  uint64_t thread;        // pthread_t
  // Addresses of functions of the target; `entry` is 0 if the agent is not loaded.
  uint64_t entry, pthread_detach, dlopen, dlsym, dlerror, munmap;
  uint64_t open_flags;
  int64_t file;       // descriptor of the agent's copy, closed once it is loaded; -1 = none
  char name[32];      // kAttachName
  char library[512];  // path of the agent
  char session[256];  // value of kSessionVariable
  char error[512];
  int64_t served_by;  // the answering thread, by its number in its own PID namespace
};

}  // namespace gprofx::wire
