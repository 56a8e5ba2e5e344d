// Student's t distribution, for intervals of means of few values. Pure.
#pragma once

namespace gprofx {

// Mean -+ this times the standard error is the 95 % interval. Method: the expansion of Cornish and
// Fisher; below 3 degrees of freedom too rough.
inline double StudentQuantile975(double degrees) {
  constexpr double kZ = 1.959964;
  constexpr double kZ3 = kZ * kZ * kZ, kZ5 = kZ3 * kZ * kZ;
  return kZ + (kZ3 + kZ) / (4 * degrees) + (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * degrees * degrees);
}

}  // namespace gprofx
