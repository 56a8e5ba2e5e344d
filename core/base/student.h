// Student's t distribution, for confidence intervals of the mean of few values. Pure.
#pragma once

namespace gprofx {

// Returns the value that a share `p` of the distribution is below. `degrees` of freedom: above 0.
// With p = 0.975: the factor by which the standard error is multiplied to get half the width of the
// 95 % interval around the mean.
double StudentQuantile(double degrees, double p);

// Returns P(T > t); `t` may be infinite.
double StudentAbove(double t, double degrees);

}  // namespace gprofx
