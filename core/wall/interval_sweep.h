// Finds which of several overlapping intervals counts at each moment: the one with the lowest rank.
//
// The method is a sweep over the sorted ends of all intervals; O(n log n). Pure. Times are HostNs.
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
  // By rank: time in which it is the lowest rank of all open intervals.
  std::map<uint32_t, int64_t> ns;
  std::vector<Gap> gaps;  // times without any interval, in order
};

// Partitions [begin, end): the sum of `ns` and of the gaps is end - begin. Intervals may extend
// beyond the range and come in any order. Empty and reversed ones are ignored.
Sweep SweepIntervals(std::span<const RankedInterval> intervals, HostNs begin, HostNs end);

// Does the same for each range between two neighbours of `cuts`, which must be in ascending order.
std::vector<Sweep> SweepRanges(std::span<const RankedInterval> intervals,
                               std::span<const HostNs> cuts);

}  // namespace gprofx
