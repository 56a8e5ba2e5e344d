// Two fields of /proc/PID/stat: is a process there still, and is it the same? Its number alone does
// not say so: a zombie has it, and later another process may.
//
// Async-signal-safe. Source: proc(5).
#pragma once

#include <cstdint>

namespace gprofx::agent {

struct ProcessStat {
  char state = 0;      // 'R', 'S', 'Z' ...; 0 = not known
  uint64_t start = 0;  // ticks since the boot; 0 = not known
};

ProcessStat ParseStat(const char* text);  // whole, with a NUL at the end
ProcessStat StatOf(int64_t pid);

}  // namespace gprofx::agent
