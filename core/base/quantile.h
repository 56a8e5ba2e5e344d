// Computes quantiles by linear interpolation between the two neighbouring values. This is type 7 of
// Hyndman and Fan (1996), the default of R, NumPy and pandas. Linear time; pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace gprofx {

// Returns the value at the fraction `part` of the way from `low` to `high`; 0 <= `part` < 1.
// Integers are rounded to the nearest.
template <class Value>
Value Interpolated(Value low, Value high, double part) {
  if constexpr (std::is_integral_v<Value>) {
    // Computed as unsigned, because the difference could overflow: values come from files and can
    // be any number.
    const auto begin = static_cast<uint64_t>(low);
    const auto gap = static_cast<double>(static_cast<uint64_t>(high) - begin);
    return static_cast<Value>(begin + static_cast<uint64_t>(part * gap + 0.5));
  } else {
    return low + (high - low) * part;
  }
}

// Returns the quantile at `share`, from 0 to 1; 0.5 is the median. Returns 0 if there are no
// values.
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
