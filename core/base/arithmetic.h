// Adds and converts numbers with saturation: a result beyond the limits of int64_t becomes the
// nearest limit. Numbers from broken or hostile files then stay large instead of wrapping around.
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

// Limit for numbers from files, which may be broken. Sums and differences of a few numbers within
// it do not overflow. In old traces, times are nanoseconds since 1970; they reach the limit in the
// year 2043.
inline constexpr int64_t kMaxMagnitude = int64_t{1} << 61;
inline int64_t Bounded(int64_t value) { return std::clamp(value, -kMaxMagnitude, kMaxMagnitude); }

}  // namespace gprofx
