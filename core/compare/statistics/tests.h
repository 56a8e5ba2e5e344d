// Tests of one estimated effect, and what follows from many of them at once.
//
// Effects are differences of logarithms: 0.02 is about 2 %. Pure.
#pragma once

#include <span>
#include <vector>

namespace gprofx::compare {

struct Estimate {
  double effect = 0;  // head minus base
  double error = 0;   // its standard error
  double df = 0;      // degrees of freedom of the error; 0 = it cannot be tested
};

// That |effect| is more than `least` (TREAT: McCarthy and Smyth, Bioinformatics 25(6), 2009). A
// change that matters is asked for, not one that merely exists.
double PValueOfMoreThan(const Estimate& estimate, double least);

// That the effect lies within (-most, most): two one-sided tests.
double PValueOfWithin(const Estimate& estimate, double most);

struct Interval {
  double low = 0, high = 0;
};
Interval ConfidenceInterval(const Estimate& estimate, double confidence);

// The effect that a test at level `alpha` against `least` finds in `power` of all cases.
double Detectable(double error, double df, double least, double alpha, double power);

// Benjamini and Hochberg: at which rate of false discoveries each would just be one. In the order
// of `p`.
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

}  // namespace gprofx::compare
