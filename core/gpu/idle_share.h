// Explains what the CPU did while no GPU was busy: idle time is attributed to the samples in it.
//
// A gap of the GPU is often shorter than the time between two samples, so a single gap cannot be
// judged. A sample stands for its weight of idle time in its neighbourhood, a window of fixed
// position. Within a window, the samples of all threads explain at most the idle time that there
// is. Any excess is scaled down by the largest remainder method (in proportion, in whole
// nanoseconds, exact to the last one). Samples of CPU time cannot lie where no thread ran. The idle
// time that they leave is explained by checks of threads that did not run, up to the 95 % upper
// bound for that number of checks. Pure; O(samples + gaps). Times: HostNs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/model/ids.h"
#include "core/wall/interval_sweep.h"

namespace gprofx {

inline constexpr size_t kHostClasses = 6;  // of HostClass, see core/wall/wall_partition.h

// Length of a window; windows begin at multiples of it. With 1000 samples a second and 30 % idle
// time, the shares are accurate to 3 %.
inline constexpr HostNs kShareWindow = 5'000'000'000;

// Returns the multiple of kShareWindow at or before `time`.
HostNs WindowBegin(HostNs time);

struct HostSample {
  HostNs time = 0;
  int64_t weight = 0;  // ns, not negative
  uint8_t what = 0;    // below kHostClasses
  bool look = false;   // a check of a thread that did not run (WaitPlaceEvent); no weight
};

using HostShares = std::array<int64_t, kHostClasses>;

// Returns `weights` unchanged if their sum is at most `limit`; otherwise scales them down so that
// their sum is `limit` exactly. Equal remainders favour the first.
HostShares ScaleToLimit(const HostShares& weights, int64_t limit);

// Gaps and samples are in order of time, and gaps do not overlap. The sum of the result is at most
// that of the gaps.
HostShares ShareIdleTime(std::span<const Gap> gaps, std::span<const HostSample> samples);

}  // namespace gprofx
