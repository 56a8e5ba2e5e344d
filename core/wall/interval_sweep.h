// Which of several overlapping intervals counts at each moment: the one of the lowest rank.
//
// A sweep over the sorted ends of all intervals; O(n log n). Pure. Times: HostNs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

struct RankedInterval {  // [begin, end)
  HostNs begin = 0, end = 0;
  uint32_t rank = 0;
};

struct Gap {  // [begin, end)
  HostNs begin = 0, end = 0;
};

struct Sweep {
  std::map<uint32_t, int64_t> ns;  // rank -> time in which no lower rank was there
  std::vector<Gap> gaps;           // in order of time: where there was no interval at all
};

// Partition of [begin, end): the sum of `ns` and of the gaps is end - begin. Intervals may reach
// beyond and come in any order; those that are empty or turned around count nothing.
Sweep SweepIntervals(std::span<const RankedInterval> intervals, HostNs begin, HostNs end);

// The same of each of the ranges between neighbours of `cuts`, which are in order of time.
std::vector<Sweep> SweepRanges(std::span<const RankedInterval> intervals,
                               std::span<const HostNs> cuts);

}  // namespace gprofx
