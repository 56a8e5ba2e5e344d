#include "core/compare/statistics/moderation.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/in_double.h"
#include "core/base/quantile.h"

namespace gprofx::compare {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLargestDf = 1e6;  // larger numbers are treated as infinite
// A variance is an outlier if it is so large that only this fraction of variances would exceed it
// by chance. It must not be moderated (Phipson et al., Annals of Applied Statistics 10(2), 2016, in
// its simplest form).
constexpr double kUnusual = 0.01;

using FisherF = boost::math::fisher_f_distribution<double, InDouble>;

double Digamma(double x) { return boost::math::digamma(x, InDouble()); }
double Trigamma(double x) { return boost::math::trigamma(x, InDouble()); }

// Returns x with trigamma(x) = y. Found by bisection, because trigamma is strictly decreasing.
double TrigammaInverse(double y) {
  double low = 1e-8, high = kLargestDf;
  if (Trigamma(high) > y) return kInfinite;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (Trigamma(middle) > y ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

Prior FitPrior(std::span<const double> variances, double df) {
  if (variances.size() < 3 || df <= 0) return {};
  std::vector<double> logs(variances.begin(), variances.end());
  // A variance that is 0 by chance would have the logarithm -infinity and dominate the mean.
  // Variances are therefore limited from below.
  const double least = std::max(Median(logs) * 1e-5, std::numeric_limits<double>::min());
  double mean = 0;
  for (double& value : logs) {
    value = std::log(std::max(value, least)) - Digamma(df / 2) + std::log(df / 2);
    mean += value / static_cast<double>(logs.size());
  }
  double spread = 0;
  for (const double value : logs) {
    spread += (value - mean) * (value - mean) / static_cast<double>(logs.size() - 1);
  }
  // By how much the variance of the logarithms exceeds what chance explains.
  const double excess = spread - Trigamma(df / 2);
  if (excess <= 0) return {kInfinite, std::exp(mean)};
  const double half = TrigammaInverse(excess);
  if (std::isinf(half)) return {kInfinite, std::exp(mean)};
  return {2 * half, std::exp(mean + Digamma(half) - std::log(half))};
}

Variance Moderated(const Prior& prior, double variance, double df) {
  if (prior.df <= 0) return {variance, df};
  const double prior_df = std::min(prior.df, kLargestDf);
  const FisherF usual(df, prior_df);
  // If nearly all series repeat exactly, the prior variance is close to 0 and the ratio of the
  // others may be infinite.
  const double ratio = variance / prior.variance;
  if (!std::isfinite(ratio) || cdf(complement(usual, ratio)) < kUnusual) return {variance, df};
  if (std::isinf(prior.df)) return {prior.variance, kLargestDf};
  return {(prior.df * prior.variance + df * variance) / (prior.df + df), prior.df + df};
}

}  // namespace gprofx::compare
