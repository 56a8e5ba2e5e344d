// Attributes the time in which no GPU was busy to what the CPU did meanwhile.
//
// A gap in the GPU's work is often shorter than the sampling interval, so a single gap cannot be
// judged. Gaps and samples are therefore compared in windows of fixed position (kShareWindow). In
// each window:
//   1. Each CPU sample taken in a gap explains as much idle time as its weight.
//   2. If the samples of all threads explain more than the window's idle time, their shares are
//      scaled down in proportion (largest remainder method: the sum is exact).
//   3. Samples of CPU time exist only for threads that ran. The idle time that they leave over goes
//      to probes that found a thread not running. Each probe represents kWaitLookNs. N probes
//      explain at most N + 2 sqrt(N) times that, the 95 % upper bound of N.
// Pure; O(samples + gaps). Times are HostNs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/model/ids.h"
#include "core/wall/interval_sweep.h"

namespace gprofx {

// Number of values of HostClass (core/wall/wall_partition.h).
inline constexpr size_t kHostClasses = 6;

// Length of a window. Windows begin at multiples of it. With 1000 samples a second and 30 % idle
// time, the shares are accurate to 3 %.
inline constexpr HostNs kShareWindow = 5'000'000'000;

// Returns the largest multiple of kShareWindow that is not after `time`.
HostNs WindowBegin(HostNs time);

struct HostSample {
  HostNs time = 0;
  int64_t weight = 0;  // ns, not negative
  uint8_t what = 0;    // a HostClass, below kHostClasses
  bool look = false;   // a probe found the thread not running (WaitPlaceEvent); `weight` is 0
};

using HostShares = std::array<int64_t, kHostClasses>;

// Returns `weights` unchanged if their sum is at most `limit`. Otherwise scales them down, in
// proportion, to a sum of exactly `limit`. Among equal remainders, the first is rounded up.
HostShares ScaleToLimit(const HostShares& weights, int64_t limit);

// Returns how much idle time each class of samples explains. Gaps and samples must be in order of
// time, and gaps must not overlap. The sum of the result is at most that of the gaps.
HostShares ShareIdleTime(std::span<const Gap> gaps, std::span<const HostSample> samples);

}  // namespace gprofx
