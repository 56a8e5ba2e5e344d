#include "core/compare/statistics/tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/student.h"

namespace gprofx::compare {
namespace {

bool CanTest(const Estimate& estimate) {
  return estimate.df > 0 && std::isfinite(estimate.effect) && std::isfinite(estimate.error);
}

double Ratio(double distance, double error) {
  if (error > 0) return distance / error;
  if (distance == 0) return 0;
  return std::copysign(std::numeric_limits<double>::infinity(), distance);
}

}  // namespace

double PValueOfMoreThan(const Estimate& estimate, double least) {
  if (!CanTest(estimate)) return 1;
  const double size = std::fabs(estimate.effect);
  return std::min(1.0, StudentAbove(Ratio(size - least, estimate.error), estimate.df) +
                           StudentAbove(Ratio(size + least, estimate.error), estimate.df));
}

double PValueOfWithin(const Estimate& estimate, double most) {
  if (!CanTest(estimate)) return 1;
  return StudentAbove(Ratio(most - std::fabs(estimate.effect), estimate.error), estimate.df);
}

Interval ConfidenceInterval(const Estimate& estimate, double confidence) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (!CanTest(estimate)) return {-kInfinite, kInfinite};
  const double half = StudentQuantile(estimate.df, (1 + confidence) / 2) * estimate.error;
  return {estimate.effect - half, estimate.effect + half};
}

double Detectable(double error, double df, double least, double alpha, double power) {
  if (df <= 0) return std::numeric_limits<double>::infinity();
  return least + (StudentQuantile(df, 1 - alpha) + StudentQuantile(df, power)) * error;
}

std::vector<double> FalseDiscoveryRates(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> rates(p.size());
  double least = 1;
  for (size_t rank = p.size(); rank > 0; --rank) {
    const size_t at = order[rank - 1];
    least = std::min(least, p[at] * static_cast<double>(p.size()) / static_cast<double>(rank));
    rates[at] = least;
  }
  return rates;
}

}  // namespace gprofx::compare
