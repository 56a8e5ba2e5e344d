// Aligns the clocks of several recordings by events that their ranks share: a collective operation
// (all-reduce, all-gather, ...) ends on all ranks within microseconds, because each rank needs the
// others' data. Clocks of hosts differ by milliseconds.
//
// Method: the k-th operation of a name on one rank is matched with the k-th of that name on the
// other. The correction is the median difference of their ends, and its spread is the median
// distance of the differences from the correction. Differences scatter if ranks run operations on
// their own or in different groups. A correction with a large spread is not trusted. Linear except
// for sorting; pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/model/ids.h"

namespace gprofx {

struct CollectiveEnd {
  StringId name;  // the kernel, in a profile that all ranks share
  HostNs end = 0;
};

struct ClockCorrection {
  HostNs add = 0;     // to the times of `other`
  size_t pairs = 0;   // number of operations compared
  HostNs spread = 0;  // median distance of a pair from `add`
  bool trusted = false;
};

// True for kernels in which all ranks take part at once; false for point-to-point ones.
bool IsCollective(std::string_view kernel_name);

// Returns the correction that aligns `other` with `reference`. Both may be in any order.
ClockCorrection CorrectClock(std::span<const CollectiveEnd> reference,
                             std::span<const CollectiveEnd> other);

}  // namespace gprofx
