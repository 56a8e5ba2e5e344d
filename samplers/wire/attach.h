// What the recorder and the agent say to each other while the agent enters or leaves a program that
// runs already.
//
// The request lies in memory of the target that the recorder mapped there. A thread of the target
// that the recorder made (samplers/attach/injected_code.h) loads the agent and gives the request to
// its function kAttachName. Where an interpreter loads the agent (samplers/attach/safe_point.h),
// both memory and thread are made by the agent, which tells their address (kAttachModule); from
// there on everything is the same. `go` is written by the recorder, `state`, `result` and `error`
// by that thread, which unmaps the memory when `go` says so, or after ten seconds without a word.
// POD; both sides come from one build, which `version` holds.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr char kAttachName[] = "gprofx_agent_attach";
constexpr uint32_t kAttachVersion = 2 << 16 | kVersion;  // with that of the shared memory

// As a module of Python's: its start function never makes one, but appends this text, for scanf, to
// the file that the script which loads it names as kAttachAnswerFile (bytes): address of the
// request, kAttachVersion. An exception that the script has in kAttachMet is raised in the program.
constexpr char kAttachModule[] = "gprofx_agent";
constexpr char kAttachAnswerFile[] = "answer", kAttachMet[] = "met";
constexpr char kAttachAnswer[] = "gprof-x waits at %lx version %x";

enum AttachAction : uint32_t { kAttachBegin = 1, kAttachEnd = 2 };

enum AttachGo : uint32_t {
  kGoWait = 0,
  kGoReleased = 1,  // the thread that was stopped runs again
  kGoClosed = 2,    // kAttachEnd: perf events are closed, no signal of theirs comes any more
  kGoLeave = 3,     // the answer was read
};

enum AttachState : uint32_t {
  kAttachWaits = 0,
  kAttachQuiet = 1,  // kAttachEnd: timers are gone and no handler runs; waits for kGoClosed
  kAttachDone = 2,   // `result` holds
};

enum AttachResult : uint32_t {
  kAttachOk = 0,
  kAttachNotLoaded = 1,  // `error` has the loader's words
  kAttachOtherVersion = 2,
  kAttachRecorded = 3,     // somebody else records the process
  kAttachUnreachable = 4,  // the recorder's memory
  kAttachUnfit = 5,        // `reason`
  kAttachNoRoom = 6,
  kAttachStays = 7,        // kAttachEnd: handlers of signals stay, inert
  kAttachNotRecorded = 8,  // kAttachEnd: there was nothing to end
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
  // Functions of the target, by address; `entry` is 0 where the agent is not loaded.
  uint64_t entry, pthread_detach, dlopen, dlsym, dlerror, munmap;
  uint64_t open_flags;
  int64_t file;       // descriptor of the agent's copy, closed when it is loaded; -1 = none
  char name[32];      // kAttachName
  char library[512];  // path of the agent
  char session[256];  // as kSessionVariable has it
  char error[512];
  int64_t served_by;  // the thread that answers, by its number in its own PID namespace
};

}  // namespace gprofx::wire
