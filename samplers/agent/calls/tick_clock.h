// Computes the time since the start of the recording from the processor's tick counter, for one
// thread. Reading the real clock takes five times as long and touches five cache lines. The real
// clock is read again after every kTrustedNs. No allocation, no locks.
//
// The counter's rate is measured between two readings at least kMinNs apart. If the computed time
// differs from the real clock by more than kMaxErrorNs, or if the rate changes, the counter is not
// used again. Causes are an uneven counter, processors whose counters are not synchronized, and a
// machine that was suspended or migrated.
#pragma once

#include <cstdint>

namespace gprofx::agent {

class TickClock {
 public:
  static constexpr int64_t kTrustedNs = 5'000'000, kMinNs = 4'000'000, kMaxErrorNs = 5'000;

  // Returns ns since the start of the recording. `ticks` is the current machine::Ticks(), or 0 if
  // the counter cannot be read.
  int64_t Now(uint64_t ticks) {
    if (!Knows(ticks)) [[unlikely]]
      return Look(ticks);
    return ns_ + static_cast<int64_t>((ticks - ticks_) * factor_ >> 32);
  }
  // True if the latest reading of the real clock is recent enough to compute the time from `ticks`.
  bool Knows(uint64_t ticks) const { return ticks - ticks_ < trusted_; }

  struct Reading {
    uint64_t ticks;
    int64_t ns;
  };
  // Adds a reading of the counter and the real clock. Pure.
  void Add(Reading now);

 private:
  int64_t Look(uint64_t ticks);

  // `ticks_` is the counter at the latest reading of the real clock. `trusted_` is for how many
  // ticks after that the time may be computed; 0 = not at all.
  uint64_t ticks_ = 0, trusted_ = 0;
  int64_t ns_ = 0;
  uint64_t factor_ = 0;  // ns per tick, in units of 2^-32; 0 = unknown
  bool uneven_ = false;
};

}  // namespace gprofx::agent
