// Computes the CPU time of a process, user plus system in ns, from the rusage of wait4 or
// getrusage.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace gprofx {

inline int64_t CpuNs(const rusage& used) {
  const auto ns = [](const timeval& t) {
    return t.tv_sec * int64_t{1'000'000'000} + t.tv_usec * int64_t{1000};
  };
  return ns(used.ru_utime) + ns(used.ru_stime);
}

}  // namespace gprofx
