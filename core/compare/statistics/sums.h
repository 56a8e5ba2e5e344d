// Computes sums over the values of a few runs. Pure. Each sum is 0 if there are no values.
#pragma once

#include <numeric>
#include <span>

namespace gprofx::compare {

inline double Sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

inline double Mean(std::span<const double> values) {
  return values.empty() ? 0 : Sum(values) / static_cast<double>(values.size());
}

// Returns the sum of the squared distances of the values from `center`.
inline double SquaresAround(std::span<const double> values, double center) {
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum;
}

inline double ShareOf(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace gprofx::compare
