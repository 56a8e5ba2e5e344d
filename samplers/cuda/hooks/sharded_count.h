// Counts how many threads are inside a section. Many threads count at once, each in a cache line of
// its own or in one that it shares with few others.
//
// For any thread. A thread that enters counts itself first and then reads the flag that may block
// it. A thread that blocks others writes that flag, makes a HeavyFence, and then reads the sum.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/cuda/hooks/own_line.h"

namespace gprofx::cuda {

class ShardedCount {
 public:
  void Enter() {
    const int32_t line = OwnLine::Index();
    if (line < 0) [[unlikely]] {
      Shared().fetch_add(1);
      return;
    }
    Change(own_[line].count, 1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void Leave() {
    const int32_t line = OwnLine::Index();
    if (line < 0) [[unlikely]] {
      Shared().fetch_sub(1, std::memory_order_release);
      return;
    }
    Change(own_[line].count, -1);
  }
  int32_t Sum() const {
    int32_t sum = 0;
    for (const Shard& shard : own_) sum += shard.count.load();
    for (const Shard& shard : shared_) sum += shard.count.load();
    return sum;
  }

 private:
  static constexpr uint32_t kShared = 16;
  struct alignas(64) Shard {
    std::atomic<int32_t> count{0};
  };
  // 1 + the thread's index in `shared_`, which is the same in every ShardedCount; 0 = no index
  // chosen yet.
  __attribute__((tls_model("initial-exec"))) static constinit thread_local uint32_t t_shared;
  static inline std::atomic<uint32_t> threads_{0};

  // Changes a count that only the calling thread writes.
  static void Change(std::atomic<int32_t>& count, int32_t by) {
    count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_release);
  }

  std::atomic<int32_t>& Shared() {
    if (t_shared == 0) t_shared = 1 + threads_.fetch_add(1) % kShared;
    return shared_[t_shared - 1].count;
  }

  Shard own_[OwnLine::kLines], shared_[kShared];
};

__attribute__((
    tls_model("initial-exec"))) inline constinit thread_local uint32_t ShardedCount::t_shared = 0;

}  // namespace gprofx::cuda
