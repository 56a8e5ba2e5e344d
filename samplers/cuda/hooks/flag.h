// A flag that one thread sets and for which another waits with a timeout.
//
// Uses a futex, because a condition variable with the monotonic clock would need glibc 2.30.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace gprofx::cuda {

class Flag {
 public:
  void Set() {
    value_.store(1, std::memory_order_release);
    syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  void Clear() { value_.store(0, std::memory_order_release); }

  // Waits until the flag is set and returns true. Returns false if it is not set within `limit`.
  bool Wait(std::chrono::nanoseconds limit) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + limit;
    while (value_.load(std::memory_order_acquire) == 0) {
      const std::chrono::nanoseconds left = deadline - Clock::now();
      if (left.count() <= 0) return false;
      const timespec relative{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
      syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, 0, &relative, nullptr, 0);
    }
    return true;
  }

 private:
  std::atomic<uint32_t> value_{0};
};

}  // namespace gprofx::cuda
