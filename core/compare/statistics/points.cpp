#include "core/compare/statistics/points.h"

#include <cmath>
#include <vector>

#include "core/compare/statistics/sums.h"

namespace gprofx::compare {
namespace {

// Minimum standard error of a run's share: a few runs may agree by chance.
constexpr double kMinError = 0.001;

}  // namespace

SharePoints ComparePoints(std::span<const double> base, std::span<const double> head, bool paired,
                          double confidence) {
  SharePoints points;
  if (base.empty() || head.empty()) return points;
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(head.size());
  points.base = Mean(base);
  points.head = Mean(head);
  Estimate& estimate = points.estimate;
  estimate.effect = points.head - points.base;
  double variance = 0, runs = 0;
  if (paired) {
    std::vector<double> differences;
    for (size_t i = 0; i < base.size(); ++i) differences.push_back(head[i] - base[i]);
    estimate.df = n - 1;
    runs = 1 / n;
    variance = SquaresAround(differences, estimate.effect);
  } else {
    estimate.df = n + m - 2;
    runs = 1 / n + 1 / m;
    variance = SquaresAround(base, points.base) + SquaresAround(head, points.head);
  }
  if (estimate.df < 1) {
    estimate.df = 0;
    return points;
  }
  variance = std::max(variance / estimate.df, kMinError * kMinError);
  estimate.error = std::sqrt(variance * runs);
  points.interval = ConfidenceInterval(estimate, confidence);
  return points;
}

}  // namespace gprofx::compare
