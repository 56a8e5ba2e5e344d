// Moderates the variances of many series, each estimated from a few repetitions: draws each
// variance towards one that is common to all series. Method: empirical Bayes as in limma (G. K.
// Smyth, Statistical Applications in Genetics and Molecular Biology 3(1), 2004). A function whose
// five repetitions agree by chance is not treated as noiseless, and a test that would need ten
// repetitions alone works with five.
//
// Pure. Distribution functions are from Boost.Math.
#pragma once

#include <span>

namespace gprofx::compare {

// The common prior of the variances: evidence worth `df` degrees of freedom that a variance is
// `variance`. Infinite df: all series have the same variance.
struct Prior {
  double df = 0;  // 0: no prior, each series stands alone
  double variance = 0;
};

// Fits the prior to variances with `df` degrees of freedom each; fewer than three give no prior.
Prior FitPrior(std::span<const double> variances, double df);

struct Variance {
  double value = 0;
  double df = 0;
};
Variance Moderated(const Prior& prior, double variance, double df);

}  // namespace gprofx::compare
