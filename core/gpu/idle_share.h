// What the CPU did while no GPU was busy: idle time shared out by the samples that lie in it.
//
// A gap of the GPU is often shorter than the time between two samples, so a gap by itself can not
// be judged: a sample stands for its weight of idle time of its neighbourhood. The neighbourhood is
// a window of fixed place. Within each, the samples of all threads explain at most the idle time
// that there is; more is scaled down by the method of the largest remainder (in proportion, in
// whole nanoseconds, to the last one). Samples of CPU time cannot lie where nobody ran: of what
// they leave, looks at threads that did not run explain as much as so many can be by chance, at 95
// %. Pure; O(samples + gaps). Times: HostNs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/model/ids.h"
#include "core/wall/interval_sweep.h"

namespace gprofx {

inline constexpr size_t kHostClasses = 6;  // of HostClass, see core/wall/wall_partition.h

// At 1000 samples a second the shares of 30 % idle time are then good to 3 %. Windows begin at
// multiples of it.
inline constexpr HostNs kShareWindow = 5'000'000'000;

// The multiple of kShareWindow at or before `time`.
HostNs WindowBegin(HostNs time);

struct HostSample {
  HostNs time = 0;
  int64_t weight = 0;  // ns, not negative
  uint8_t what = 0;    // below kHostClasses
  bool look = false;   // at a thread that did not run (WaitPlaceEvent); without a weight
};

using HostShares = std::array<int64_t, kHostClasses>;

// `weights` as they are if their sum is at most `limit`, else scaled down so that it is `limit`
// exactly. Equal remainders favour the first.
HostShares ScaleToLimit(const HostShares& weights, int64_t limit);

// Gaps and samples in order of time, gaps without overlap. The sum is at most that of the gaps.
HostShares ShareIdleTime(std::span<const Gap> gaps, std::span<const HostSample> samples);

}  // namespace gprofx
