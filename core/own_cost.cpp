#include "core/own_cost.h"

#include <algorithm>
#include <cmath>

namespace gprofx {
namespace {

constexpr double kMostSeen = 1.5;  // logarithm
constexpr double kSigmas = 1.96;   // of a 95 % interval

PairedCost Interval(int64_t pairs, double mean, double error) {
  return {pairs, std::exp(mean), std::exp(mean - kSigmas * error), std::exp(mean + kSigmas * error)};
}

double ErrorOf(const PairedCost& cost) {
  return (std::log(cost.high) - std::log(cost.low)) / (2 * kSigmas);
}

}  // namespace

void PairedRatios::Add(double rate_without, double rate_with) {
  const double seen = std::clamp(std::log(rate_without / rate_with), -kMostSeen, kMostSeen);
  ++pairs_;
  sum_ += seen;
  squares_ += seen * seen;
}

PairedCost PairedRatios::Cost() const {
  if (pairs_ < 2) return {pairs_, 1, 1, 1};
  const double n = static_cast<double>(pairs_), mean = sum_ / n;
  return Interval(pairs_, mean,
                  std::sqrt(std::max(0.0, squares_ - n * mean * mean) / (n - 1) / n));
}

PairedCost OwnCost(const CostParts& parts) {
  // Records are on for a part of the time: so much of their cost, and of its error, counts.
  const double records = 1 + parts.records_share * (parts.records.ratio - 1);
  const double weight = parts.records_share * parts.records.ratio / records;
  const double mean =
      std::log(parts.sampling.ratio) + std::log1p(parts.launch_share) + std::log(records);
  const double error = std::hypot(ErrorOf(parts.sampling), weight * ErrorOf(parts.records));
  return Interval(parts.sampling.pairs, mean, error);
}

}  // namespace gprofx
