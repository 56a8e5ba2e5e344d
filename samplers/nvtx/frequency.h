// Detects threads that name ranges so often that recording each one would slow the program. XLA
// names a range for each operation of each replayed graph: 60 ranges in a step of 0.3 ms. The class
// is small, because it is in the limited thread-local storage of libraries that are loaded late.
#pragma once

#include <cstdint>

namespace gprofx::nvtx {

class Frequency {
 public:
  // Called at the start of a range. Returns true if the thread starts too many ranges per second
  // (kMany). `now` is a function that returns the time in ns; it is called once per kLook ranges.
  template <class Now>
  bool Count(Now now) {
    if (++count_ < kLook) return many_;
    const auto time = static_cast<uint32_t>(now() >> kTick);  // wraps after 73 minutes
    const uint32_t most = static_cast<uint32_t>((kLook * INT64_C(1'000'000'000) / kMany) >> kTick);
    many_ = time - since_ < (many_ ? most * 2 : most);
    since_ = time;
    count_ = 0;
    return many_;
  }

 private:
  static constexpr uint16_t kLook = 256;
  // Number of ranges per second that is too many. Once it was reached, half of it is still too
  // many.
  static constexpr int64_t kMany = 5000;
  static constexpr int kTick = 10;  // the unit of time is 2^10 ns

  uint32_t since_;
  uint16_t count_;
  bool many_;
};

}  // namespace gprofx::nvtx
