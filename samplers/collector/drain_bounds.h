// Numbers that a target wrote are bounded before anything is made of them. Used inside drain*.cpp only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gprofx {

inline constexpr int64_t kMaxCpuNs = int64_t{1} << 60;
inline constexpr uint64_t kMaxCount = uint64_t{1} << 40;

inline int64_t BoundedCount(uint64_t count) {
  return static_cast<int64_t>(std::min(count, kMaxCount));
}

inline uint32_t Saturated(int64_t ns) {
  return static_cast<uint32_t>(std::clamp<int64_t>(ns, 0, std::numeric_limits<uint32_t>::max()));
}

}  // namespace gprofx
