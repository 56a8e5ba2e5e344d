// Tests whether effects, estimated from a few runs, are real. A test is for one effect or for many
// at once.
//
// Effects are differences of logarithms: 0.02 is about 2 %. Pure.
#pragma once

#include <span>
#include <vector>

namespace gprofx::compare {

struct Estimate {
  double effect = 0;  // head minus base
  double error = 0;   // its standard error
  double df = 0;      // degrees of freedom of the error; 0 = not testable
};

// Returns the p-value of the test for |effect| > `least`. Unlike a test for any change, it tests
// for a change that matters (TREAT: McCarthy and Smyth, Bioinformatics 25(6), 2009).
double PValueOfMoreThan(const Estimate& estimate, double least);

// Returns the p-value of the test for an effect between -most and `most`, from two one-sided tests.
double PValueOfWithin(const Estimate& estimate, double most);

struct Interval {
  double low = 0, high = 0;
};
Interval ConfidenceInterval(const Estimate& estimate, double confidence);

// Returns the smallest effect that PValueOfMoreThan() with `least` finds with probability `power`
// at the level `alpha`.
double Detectable(double error, double df, double least, double alpha, double power);

// Returns for each hypothesis the lowest false discovery rate at which it is a discovery. `p` holds
// their p-values. Method: Benjamini and Hochberg.
std::vector<double> FalseDiscoveryRates(std::span<const double> p);

}  // namespace gprofx::compare
