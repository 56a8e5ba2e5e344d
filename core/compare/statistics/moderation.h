// Moderates the variances of many series, each of which is estimated from a few repetitions. Each
// variance is moved towards one that all series have in common. The method is empirical Bayes as in
// limma (G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3(1), 2004). A
// function whose five repetitions agree by chance is then not considered free of noise. Five
// repetitions are then enough for a test that would otherwise need ten.
//
// Pure. Distribution functions are from Boost.Math.
#pragma once

#include <span>

namespace gprofx::compare {

// The common prior of the variances. It has the weight of an observed variance of `variance` with
// `df` degrees of freedom. Infinite df: all series have the same variance.
struct Prior {
  double df = 0;  // 0: no prior; each series uses its own variance
  double variance = 0;
};

// Fits the prior to variances with `df` degrees of freedom each. Fewer than three variances give no
// prior.
Prior FitPrior(std::span<const double> variances, double df);

struct Variance {
  double value = 0;
  double df = 0;
};
Variance Moderated(const Prior& prior, double variance, double df);

}  // namespace gprofx::compare
