// Quantiles by linear interpolation between the two neighbouring values: type 7 of Hyndman and Fan
// (1996), the default of R, NumPy and pandas. Linear time; pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace gprofx {

// Returns the value at `part`, 0 to below 1, of the way from `low` to `high`; rounded to the
// nearest integer if they are integers.
template <class Value>
Value Interpolated(Value low, Value high, double part) {
  if constexpr (std::is_integral_v<Value>) {
    // Unsigned, because values in files may be anything.
    const auto begin = static_cast<uint64_t>(low);
    const auto gap = static_cast<double>(static_cast<uint64_t>(high) - begin);
    return static_cast<Value>(begin + static_cast<uint64_t>(part * gap + 0.5));
  } else {
    return low + (high - low) * part;
  }
}

// `share` is 0 to 1. Returns 0 if there are no values.
template <class Value>
Value Quantile(std::vector<Value> values, double share) {
  if (values.empty()) return Value{};
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto at = values.begin() + static_cast<ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  if (at + 1 == values.end()) return *at;
  const Value next = *std::min_element(at + 1, values.end());
  return Interpolated(*at, next, place - static_cast<double>(below));
}

template <class Value>
Value Median(std::vector<Value> values) {
  return Quantile(std::move(values), 0.5);
}

}  // namespace gprofx
