// Where a series of measurements, one for each version of a program, changed for good.
//
// Method: E-divisive (Matteson and James, Journal of the American Statistical Association 109(505),
// 2014) proposes the place at which the two sides differ most by energy distance, in each part
// again and again. Whether a place is a change is asked of Student's t-test instead of
// permutations, as Hunter does (Fleming et al., ICPE 2023), so the same series always has the same
// answer: first everything that may be one is split, as two steps can hide each other, then the
// weakest place is taken back until all that are left are sure, and each is looked for again
// between its neighbours. Probabilities are corrected for the places that were looked at.
//
// A change needs three values on each side, so an outlier is none, and the latest change is seen
// with the third value after it. A drift is told as one or several steps. Pure; one thread;
// quadratic in the number of values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gprofx::compare {

struct ChangePoint {
  size_t at = 0;      // position of the first value after the change
  double before = 0;  // mean of the values since the change before it, or since the beginning
  double after = 0;   // mean until the next change
  double p = 1;       // that a series without a change shows such a one, at most
};

// `level`: part of series without a change that are told to have one, at most. Values of times are
// best given as logarithms.
std::vector<ChangePoint> FindChangePoints(std::span<const double> values, double level = 0.01);

}  // namespace gprofx::compare
