// Sums that saturate at the limits of int64_t instead of overflowing, so that a hostile or absurd
// value stays a large value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gprofx {

inline int64_t AddSaturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

inline int64_t SubtractSaturated(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

inline int64_t ToSigned(uint64_t value) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value < kMax ? value : kMax);
}

// A broken file may hold any number. Sums and differences of a few numbers within this limit do not
// overflow. As nanoseconds since 1970, which old traces have, the limit is in the year 2043.
inline constexpr int64_t kMaxMagnitude = int64_t{1} << 61;
inline int64_t Bounded(int64_t value) { return std::clamp(value, -kMaxMagnitude, kMaxMagnitude); }

}  // namespace gprofx
