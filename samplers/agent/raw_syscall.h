// System calls by the instruction itself: no errno, no libc function that a program may have
// replaced, usable where thread-local storage is not ours. Async-signal-safe.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace gprofx::agent {

// What the kernel answers: -errno on failure.
inline long RawSyscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) {
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline long AsArgument(const void* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace gprofx::agent
