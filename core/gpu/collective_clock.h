// Brings the clocks of several recordings together by what their ranks do at the same moment: a
// collective operation (all-reduce, all-gather, ...) ends on all ranks within microseconds, because
// each of them needs the others' data. Clocks of hosts differ by milliseconds.
//
// Method: the k-th operation of a name on one rank is the k-th of that name on the other; the
// correction is the median difference of their ends, its quality the median distance from it. What
// ranks do for themselves or in other groups scatters, so such a correction is not trusted. Linear
// but for sorting; pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/model/ids.h"

namespace gprofx {

struct CollectiveEnd {
  StringId name;  // of the kernel, in a profile that all ranks share
  HostNs end = 0;
};

struct ClockCorrection {
  HostNs add = 0;     // to the times of `other`
  size_t pairs = 0;   // operations that were compared
  HostNs spread = 0;  // median distance of a pair from `add`
  bool trusted = false;
};

// Kernels in which all ranks take part at once; point-to-point ones are none.
bool IsCollective(std::string_view kernel_name);

// In any order.
ClockCorrection CorrectClock(std::span<const CollectiveEnd> reference,
                             std::span<const CollectiveEnd> other);

}  // namespace gprofx
