// Two fields of /proc/PID/stat that tell whether a process still exists and is the same one. Its id
// alone does not: a zombie keeps it, and later another process may get it.
//
// Async-signal-safe. Source: proc(5).
#pragma once

#include <cstdint>

namespace gprofx::agent {

struct ProcessStat {
  char state = 0;      // 'R', 'S', 'Z' ...; 0 = unknown
  uint64_t start = 0;  // clock ticks since boot; 0 = unknown
};

ProcessStat ParseStat(const char* text);  // complete and NUL-terminated
ProcessStat StatOf(int64_t pid);

}  // namespace gprofx::agent
