// Finds lasting changes in a series of measurements, one per version of a program.
//
// Method: E-divisive (Matteson and James, Journal of the American Statistical Association 109(505),
// 2014) proposes the place at which the two sides differ most by energy distance, recursively in
// each segment. Student's t-test decides whether a place is a change. It replaces the permutations
// of the original method, as in Hunter (Fleming et al., ICPE 2023), and always gives the same
// answer for the same series. There are three steps:
//   1. The series is split at every candidate with a p-value below 0.05, because two changes can
//      hide each other.
//   2. The place with the largest p-value is removed until all remaining ones are significant.
//   3. Each place is searched for again between its neighbours.
// Probabilities are corrected for the number of places examined.
//
// A change needs three values on each side. One outlier is therefore not a change, and a new change
// is found as soon as three values after it are known. A drift is reported as one or several steps.
// Pure; one thread; quadratic in the number of values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gprofx::compare {

struct ChangePoint {
  size_t at = 0;      // index of the first value after the change
  double before = 0;  // mean from the previous change, or from the start
  double after = 0;   // mean up to the next change
  double p = 1;       // upper bound of the p-value
};

// Returns the changes in the order of `values`. `level` is the maximum rate of false alarms: the
// fraction of series without changes for which a change is reported. Times should be given as
// logarithms.
std::vector<ChangePoint> FindChangePoints(std::span<const double> values, double level = 0.01);

}  // namespace gprofx::compare
