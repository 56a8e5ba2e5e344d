// A thread's clock of the recording, read by the processor's counter: a look at the real clock
// takes five times as long, and five lines of the caches. Behind each kTrustedNs of it the real one
// is asked again. Signal path.
//
// The counter's rate is measured between two looks that lie at least kMinNs apart. Where what was
// told differs from the real clock by more than kMaxErrorNs, or the rate changes (a counter that
// runs unevenly, another processor's that is not in step, a machine that was moved or slept), the
// counter is not used again.
#pragma once

#include <cstdint>

namespace gprofx::agent {

class TickClock {
 public:
  static constexpr int64_t kTrustedNs = 5'000'000, kMinNs = 4'000'000, kMaxErrorNs = 5'000;

  // `ticks`: machine::Ticks() of now; 0 = they cannot be read.
  int64_t Now(uint64_t ticks) {
    if (!Knows(ticks)) [[unlikely]]
      return Look(ticks);
    return ns_ + static_cast<int64_t>((ticks - ticks_) * factor_ >> 32);
  }
  // Without the real clock.
  bool Knows(uint64_t ticks) const { return ticks - ticks_ < trusted_; }

  struct Reading {
    uint64_t ticks;
    int64_t ns;
  };
  // The real clock was read. Pure.
  void Add(Reading now);

 private:
  int64_t Look(uint64_t ticks);

  uint64_t ticks_ = 0, trusted_ = 0;  // of the latest reading that counts; so many are told from it
  int64_t ns_ = 0;
  uint64_t factor_ = 0;  // ns of a tick, in units of 2^-32; 0 = not known
  bool uneven_ = false;
};

}  // namespace gprofx::agent
