// Student's t distribution, for confidence intervals of the mean of few values. Pure.
#pragma once

namespace gprofx {

// Returns the factor by which the standard error is multiplied to get half the width of the 95 %
// interval around the mean. `degrees` of freedom: above 0.
double StudentQuantile975(double degrees);

}  // namespace gprofx
