#include "core/own_cost.h"

#include <algorithm>
#include <cmath>

namespace gprofx {
namespace {

constexpr double kMostSeen = 1.5;  // logarithm
constexpr double kSigmas = 1.96;   // of a 95 % interval
// What launches cost for each second that our callbacks took at them. Programs on an H100 whose
// launches were only counted, by pairs of windows: 3.4 in Llama's generate, 2.9 in a small
// transformer; less where the GPU is the limit, and in small loops that stay in the caches.
constexpr double kOfLaunches = 2, kOfLaunchesError = 1;
// Of the time that samples take the program may lose nothing, or twice as much.
constexpr double kShownError = 0.5;

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
  const double few = 1 + 1.6 / (n - 1);  // Student's t for 1.96, within 3 % from five pairs on
  return Interval(pairs_, mean,
                  few * std::sqrt(std::max(0.0, squares_ - n * mean * mean) / (n - 1) / n));
}

PairedCost SamplingCost(const CostParts& parts) {
  const PairedCost& seen = parts.sampling;
  if (parts.sampling_share <= 0) return seen;
  const double timed = std::log1p(parts.sampling_share), error = kShownError * timed;
  if (seen.pairs < 2) return Interval(seen.pairs, timed, error);
  const double trust = 1 / (error * error);
  const double seen_error = std::max(ErrorOf(seen), 1e-6);
  const double seen_trust = 1 / (seen_error * seen_error);
  // Where they contradict each other neither is as sure as it says (Birge's ratio).
  const double apart = std::abs(std::log(seen.ratio) - timed) / std::hypot(error, seen_error);
  return Interval(seen.pairs,
                  (timed * trust + std::log(seen.ratio) * seen_trust) / (trust + seen_trust),
                  std::max(1.0, apart) / std::sqrt(trust + seen_trust));
}

PairedCost OwnCost(const CostParts& parts) {
  // Launches have records for a part of the time: so much of their cost, and of its error, counts.
  const double records = 1 + parts.records_share * (parts.records.ratio - 1);
  const double weight = parts.records_share * parts.records.ratio / records;
  const PairedCost sampling = SamplingCost(parts);
  const double mean = std::log(sampling.ratio) + std::log1p(kOfLaunches * parts.launch_share) +
                      std::log(records);
  const double error = std::hypot(ErrorOf(sampling), weight * ErrorOf(parts.records),
                                  kOfLaunchesError * parts.launch_share /
                                      (1 + kOfLaunches * parts.launch_share));
  return Interval(sampling.pairs, mean, error);
}

}  // namespace gprofx
