// Limits how long a thread waits for another one. On a busy machine the other thread may not run
// for many time slices, so a wait counts time and not how often it looked: 1,000 looks are over in
// 0.3 ms. Signal-safe.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/session.h"

namespace gprofx::agent {

class Patience {
 public:
  // `longest_ns` counts from the first time that the clock is read, after kFreeYields yields.
  explicit Patience(int64_t longest_ns = 100'000'000) : longest_ns_(longest_ns) {}

  // Yields the CPU once. Returns false, without yielding, if the wait has lasted too long or the
  // program's system calls are restricted: the caller must then go on without the other thread.
  bool Yield() {
    if (!Allowed(kNeedKill) || IsOver()) return false;
    RawSyscall(SYS_sched_yield);
    return true;
  }

 private:
  static constexpr uint32_t kFreeYields = 64;  // reading the clock costs as much as a yield

  bool IsOver() {
    if (++yields_ % kFreeYields != 0) return false;
    const int64_t now = MonotonicNs();
    if (end_ns_ == 0) end_ns_ = now + longest_ns_;
    return now >= end_ns_;
  }

  const int64_t longest_ns_;
  int64_t end_ns_ = 0;
  uint32_t yields_ = 0;
};

}  // namespace gprofx::agent
