// Aligns the clocks of recordings of several ranks by the ends of their collective operations
// (all-reduce, all-gather, ...). Clocks of hosts differ by milliseconds. A collective operation
// ends on all ranks within microseconds, because each rank needs the data of the others.
//
// Method: the k-th operation with a name on one rank is matched with the k-th operation with that
// name on the other rank. The correction is the median difference of their ends. Its spread is the
// median distance of the differences from the correction. A large spread means that the ranks run
// operations on their own or in different groups; the correction is then not trusted. Linear except
// for sorting; pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/model/ids.h"

namespace gprofx {

struct CollectiveEnd {
  StringId name;  // name of the kernel; an id in the same profile for all ranks
  HostNs end = 0;
};

struct ClockCorrection {
  HostNs add = 0;     // add this to the times of `other`
  size_t pairs = 0;   // number of operations compared
  HostNs spread = 0;  // median distance of the differences from `add`
  bool trusted = false;
};

// True for kernels in which all ranks of a group take part; false for point-to-point kernels.
bool IsCollective(std::string_view kernel_name);

// Returns the correction for the clock of `other`. Both lists may be in any order.
ClockCorrection CorrectClock(std::span<const CollectiveEnd> reference,
                             std::span<const CollectiveEnd> other);

}  // namespace gprofx
