#include "core/compare/statistics/moderation.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/median.h"

namespace gprofx::compare {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLargestDf = 1e6;  // more is as good as infinite
// A series that scatters more than all but so many others are of another kind: the prior must not
// calm it (Phipson et al., Annals of Applied Statistics 10(2), 2016, in its simplest form).
constexpr double kUnusual = 0.01;

// x with trigamma(x) = y. Trigamma falls strictly, so halving finds it.
double TrigammaInverse(double y) {
  double low = 1e-8, high = kLargestDf;
  if (boost::math::trigamma(high) > y) return kInfinite;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (boost::math::trigamma(middle) > y ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

Prior FitPrior(std::span<const double> variances, double df) {
  if (variances.size() < 3 || df <= 0) return {};
  std::vector<double> logs(variances.begin(), variances.end());
  // The logarithm of a variance that is 0 by chance must not decide all.
  const double least = std::max(Median(logs) * 1e-5, std::numeric_limits<double>::min());
  double mean = 0;
  for (double& value : logs) {
    value = std::log(std::max(value, least)) - boost::math::digamma(df / 2) + std::log(df / 2);
    mean += value / static_cast<double>(logs.size());
  }
  double spread = 0;
  for (const double value : logs) {
    spread += (value - mean) * (value - mean) / static_cast<double>(logs.size() - 1);
  }
  // What the logarithms scatter more than chance alone would make them.
  const double excess = spread - boost::math::trigamma(df / 2);
  if (excess <= 0) return {kInfinite, std::exp(mean)};
  const double half = TrigammaInverse(excess);
  if (std::isinf(half)) return {kInfinite, std::exp(mean)};
  return {2 * half, std::exp(mean + boost::math::digamma(half) - std::log(half))};
}

Variance Moderated(const Prior& prior, double variance, double df) {
  if (prior.df <= 0) return {variance, df};
  const double prior_df = std::min(prior.df, kLargestDf);
  const boost::math::fisher_f usual(df, prior_df);
  // Where nearly all series repeat exactly the prior is next to 0, and the others are infinitely
  // far.
  const double ratio = variance / prior.variance;
  if (!std::isfinite(ratio) || cdf(complement(usual, ratio)) < kUnusual) return {variance, df};
  if (std::isinf(prior.df)) return {prior.variance, kLargestDf};
  return {(prior.df * prior.variance + df * variance) / (prior.df + df), prior.df + df};
}

}  // namespace gprofx::compare
