// Computes Student's t distribution. Used for confidence intervals of the mean of a few values.
// Pure.
#pragma once

namespace gprofx {

// Returns the quantile `p`: T is below the result with probability `p`. `degrees`, the degrees of
// freedom, must be above 0. With p = 0.975, the result times the standard error is half the width
// of the 95 % confidence interval of the mean.
double StudentQuantile(double degrees, double p);

// Returns the probability that T exceeds `t` with `degrees` degrees of freedom. `t` may be
// infinite.
double StudentAbove(double t, double degrees);

}  // namespace gprofx
