// Aligns the clocks of several recordings by events that their ranks share. Clocks of hosts differ
// by milliseconds. A collective operation (all-reduce, all-gather, ...) ends on all ranks within
// microseconds, because each rank needs the others' data.
//
// Method: the k-th operation with a name on one rank is matched with the k-th operation with that
// name on the other rank. The correction is the median difference of their ends. Its spread is the
// median distance of the differences from the correction. The spread is large if ranks run
// operations on their own or in different groups. Such a correction is not trusted. Linear except
// for sorting; pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/model/ids.h"

namespace gprofx {

struct CollectiveEnd {
  StringId name;  // of the kernel; must come from one profile for all ranks
  HostNs end = 0;
};

struct ClockCorrection {
  HostNs add = 0;     // to be added to the times of `other`
  size_t pairs = 0;   // number of operations compared
  HostNs spread = 0;  // median distance of a pair's difference from `add`
  bool trusted = false;
};

// True for kernels in which all ranks of a group take part; false for point-to-point kernels.
bool IsCollective(std::string_view kernel_name);

// Returns the correction for the clock of `other`. Both ranges may be in any order.
ClockCorrection CorrectClock(std::span<const CollectiveEnd> reference,
                             std::span<const CollectiveEnd> other);

}  // namespace gprofx
