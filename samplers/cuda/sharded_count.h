// How many threads are at some place, counted by many at once: each in a cache line of few others.
//
// Any thread. The sum is exact where nobody comes or goes meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::cuda {

class ShardedCount {
 public:
  void Enter() { OfOwnShard().fetch_add(1); }
  void Leave() { OfOwnShard().fetch_sub(1, std::memory_order_release); }
  int32_t Sum() const {
    int32_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.count.load();
    return sum;
  }

 private:
  static constexpr uint32_t kShards = 16;
  struct alignas(64) Shard {
    std::atomic<int32_t> count{0};
  };
  // Of all counts; 0 = not chosen yet.
  __attribute__((tls_model("initial-exec"))) static constinit thread_local uint32_t t_shard;
  static inline std::atomic<uint32_t> threads_{0};

  std::atomic<int32_t>& OfOwnShard() {
    if (t_shard == 0) t_shard = 1 + threads_.fetch_add(1) % kShards;
    return shards_[t_shard - 1].count;
  }

  Shard shards_[kShards];
};

__attribute__((
    tls_model("initial-exec"))) inline constinit thread_local uint32_t ShardedCount::t_shard = 0;

}  // namespace gprofx::cuda
