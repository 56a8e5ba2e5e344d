// Keeps the program's threads out of CUDA calls for a moment.
//
// CUPTI 13.0 stops sampling of instructions under its own lock and then wants the context's, while
// a launching thread has the context's and wants CUPTI's: a deadlock, unless nobody is inside of a
// call. Threads pass at the begin and end of each call that we listen to (10 ns); while the gate is
// closed they wait at the begin, where they hold no lock of the driver's. Calls within calls pass.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace gprofx::cuda {

class CallGate {
 public:
  // Any thread, at the begin and end of a call. False: nobody listens any more, the end will not be
  // heard.
  bool Enter() {
    if (t_own.depth != 0) return ++t_own.depth, true;
    std::atomic<int32_t>& inside = InsideOfOwnShard();
    while (true) {
      inside.fetch_add(1);
      if (closed_.load() == 0 && listened_.load(std::memory_order_relaxed)) break;
      inside.fetch_sub(1);
      if (closed_.load() == 0) return false;
      syscall(SYS_futex, &closed_, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
    }
    t_own.depth = 1;
    return true;
  }
  void Leave() {
    if (t_own.depth != 0 && --t_own.depth == 0)
      InsideOfOwnShard().fetch_sub(1, std::memory_order_release);
  }

  // Our own thread only. True: nobody is inside, and nobody gets in before Open. False: somebody
  // stayed inside for the whole `limit`; the gate is open.
  bool Close(std::chrono::nanoseconds limit) {
    using Clock = std::chrono::steady_clock;
    closed_.store(1);
    for (const Clock::time_point end = Clock::now() + limit; Clock::now() < end;) {
      if (IsEmpty()) return true;
      syscall(SYS_sched_yield);
    }
    Open();
    return false;
  }
  // While it is closed: whether ends of calls will be heard.
  void Listen(bool on) { listened_.store(on); }
  void Open() {
    closed_.store(0);
    syscall(SYS_futex, &closed_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

 private:
  static constexpr uint32_t kShards = 16;
  struct alignas(64) Count {
    std::atomic<int32_t> count{0};
  };
  struct OfThread {
    uint32_t depth, shard;  // shard 0 = not chosen yet
  };
  __attribute__((tls_model("initial-exec"))) static constinit thread_local OfThread t_own;

  std::atomic<int32_t>& InsideOfOwnShard() {
    if (t_own.shard == 0) t_own.shard = 1 + threads_.fetch_add(1) % kShards;
    return inside_[t_own.shard - 1].count;
  }
  bool IsEmpty() const {
    int32_t sum = 0;
    for (const Count& shard : inside_) sum += shard.count.load();
    return sum == 0;
  }

  std::atomic<uint32_t> closed_{0}, threads_{0};
  std::atomic<bool> listened_{true};
  Count inside_[kShards];
};

inline constinit thread_local CallGate::OfThread CallGate::t_own{};

}  // namespace gprofx::cuda
