// Makes system calls by the processor's instruction. Such a call does not set errno and does not
// use libc functions that a program may have replaced. It also works where thread-local storage is
// not ours. Async-signal-safe.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#include "samplers/agent/machine/machine.h"

namespace gprofx::agent {

// Makes system call `number`. Returns the kernel's result: -errno on failure.
inline long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) {
  return machine::SystemCall(number, a, b, c, d, e, f);
}

inline long AsArgument(const void* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace gprofx::agent
