// Limits numbers that a target wrote before they are used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/model/ids.h"

namespace gprofx {

inline constexpr int64_t kMaxCpuNs = int64_t{1} << 60;
inline constexpr uint64_t kMaxCount = uint64_t{1} << 40;

// Returns the latest time that is accepted from a target. `now` was read before the rings. We may
// have been preempted in between, so timestamps up to 1 s later are accepted. If they were cut to
// `now`, calls and ranges would lose their order.
inline HostNs LatestTime(HostNs now) {
  constexpr HostNs kAhead = 1'000'000'000;
  return std::max<HostNs>(now, 0) + kAhead;
}

inline HostNs BoundedTime(int64_t time, HostNs now) {
  return std::clamp<HostNs>(time, 0, LatestTime(now));
}

inline int64_t BoundedCount(uint64_t count) {
  return static_cast<int64_t>(std::min(count, kMaxCount));
}

inline uint32_t Saturated(int64_t ns) {
  return static_cast<uint32_t>(std::clamp<int64_t>(ns, 0, std::numeric_limits<uint32_t>::max()));
}

}  // namespace gprofx
