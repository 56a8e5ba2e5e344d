// Decides when to retry an operation that fails while threads of the program are inside CUDA calls.
// Each try delays these threads, so tries must be rare. After each failure the pause before the
// next try doubles, up to 640 ms. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gprofx::cuda {

class Seldom {
 public:
  bool IsDue(int64_t now_ns) const { return pause_ns_ == 0 || now_ns >= next_ns_; }
  void Failed(int64_t now_ns) {
    pause_ns_ = std::clamp(pause_ns_ * 2, kFirstNs, kLastNs);
    next_ns_ = now_ns + pause_ns_;
  }
  void Reset() { pause_ns_ = 0; }

 private:
  static constexpr int64_t kFirstNs = 20'000'000, kLastNs = 640'000'000;
  int64_t pause_ns_ = 0, next_ns_ = 0;
};

}  // namespace gprofx::cuda
