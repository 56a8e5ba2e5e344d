// Variances of many series, each known from a few repetitions only, held against each other:
// empirical Bayes as in limma (G. K. Smyth, Statistical Applications in Genetics and Molecular
// Biology 3(1), 2004). A function whose five repetitions happen to agree is not taken for one
// without noise, and a test that needs ten repetitions alone works with five.
//
// Pure. Distribution functions are Boost.Math's.
#pragma once

#include <span>

namespace gprofx::compare {

// What the variances have in common: as much evidence as `df` degrees of freedom that a variance
// is `variance`. Infinite df: all series have the same.
struct Prior {
  double df = 0;  // 0: nothing is known, each series stands alone
  double variance = 0;
};

// Of variances with `df` degrees of freedom each; fewer than three tell nothing.
Prior FitPrior(std::span<const double> variances, double df);

struct Variance {
  double value = 0;
  double df = 0;
};
Variance Moderated(const Prior& prior, double variance, double df);

}  // namespace gprofx::compare
