// Reads fields of /proc/PID/stat. `state` and `start` together tell whether a process still exists
// and is the same one. Its id alone does not: a zombie keeps its id, and after that another process
// may get it.
//
// Async-signal-safe. Source: proc(5).
#pragma once

#include <cstdint>

#include "samplers/wire/thread_flags.h"

namespace gprofx::agent {

struct ProcessStat {
  char state = 0;      // 'R', 'S', 'Z' ...; 0 = unknown
  uint64_t flags = 0;  // PF_... of <linux/sched.h>
  uint64_t start = 0;  // clock ticks since boot; 0 = unknown
  uint64_t stack = 0;  // upper end of the first thread's stack; 0 = unknown

  // True for a thread that the kernel created for its own work in a process, such as io_uring's
  // workers.
  bool IsKernelWorker() const { return (flags & wire::kPfIoWorker) != 0; }
};

ProcessStat ParseStat(const char* text);  // `text` is the complete file, NUL-terminated
ProcessStat StatOf(int64_t pid);          // `pid` may also be the id of a thread

}  // namespace gprofx::agent
