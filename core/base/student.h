// Student's t distribution, for confidence intervals of the mean of few values. Pure.
#pragma once

namespace gprofx {

// Returns the factor by which the standard error is multiplied to get half the width of the 95 %
// interval around the mean. Method: Cornish-Fisher expansion; too inaccurate below 3 degrees of
// freedom.
inline double StudentQuantile975(double degrees) {
  constexpr double kZ = 1.959964;
  constexpr double kZ3 = kZ * kZ * kZ, kZ5 = kZ3 * kZ * kZ;
  return kZ + (kZ3 + kZ) / (4 * degrees) + (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * degrees * degrees);
}

}  // namespace gprofx
