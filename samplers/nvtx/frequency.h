// Whether a thread names ranges so often that recording each of them would slow the program: XLA
// does it for each operation of each replayed graph, 60 ranges in a step of 0.3 ms. Small: it lies
// in the little room that a process has for thread-local data of libraries that come late.
#pragma once

#include <cstdint>

namespace gprofx::nvtx {

class Frequency {
 public:
  // A range begins; `now` (ns, a function) is asked at one of kLook. Whether there are too many.
  template <class Now>
  bool Count(Now now) {
    if (++count_ < kLook) return many_;
    const auto time = static_cast<uint32_t>(now() >> kTick);  // comes round after 73 minutes
    const uint32_t most = static_cast<uint32_t>((kLook * INT64_C(1'000'000'000) / kMany) >> kTick);
    many_ = time - since_ < (many_ ? most * 2 : most);
    since_ = time;
    count_ = 0;
    return many_;
  }

 private:
  static constexpr uint16_t kLook = 256;
  static constexpr int64_t kMany = 5000;  // a second; half of them once they were many
  static constexpr int kTick = 10;        // 1,024 ns

  uint32_t since_;
  uint16_t count_;
  bool many_;
};

}  // namespace gprofx::nvtx
