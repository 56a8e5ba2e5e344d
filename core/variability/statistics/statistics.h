// Implements the statistical tests behind findings. Each is exact or documents its approximation.
// Random numbers are a function of a key and a counter, which gives the same result for the same
// data on every machine. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gprofx::variability {

// Returns random number `counter` of the sequence for `key`. Always the same for the same
// arguments.
uint64_t RandomAt(uint64_t key, uint64_t counter);

// The ranks of values (1 = smallest), in the form that PermutationTest() needs.
struct RankedValues {
  // Twice the rank of each value, from 2; equal values share their mean rank.
  std::vector<int64_t> twice;
  double mean = 0, squares = 0;  // mean of `twice`, sum of squared deviations from it
};
RankedValues RanksOf(std::span<const double> values);

// Tests whether the values at the positions `chosen` differ from the rest. Returns the two-sided
// p-value, that is, the probability that the rank sum of as many random positions is at least as
// far from its mean. Returns 1 if there is nothing to compare.
//
// With ten or more values on each side, uses the normal distribution, corrected for ties.
// Otherwise, tries up to 20,000 random choices and stops after 20 that are as extreme (Besag and
// Clifford). If none is as extreme, returns the smaller of the p-values of both methods.
double PermutationTest(const RankedValues& ranks, std::span<const uint32_t> chosen, uint64_t key);

// Returns a flag for each p-value: true if it is a discovery at the false discovery rate `rate`
// (Benjamini and Hochberg).
std::vector<bool> Discoveries(std::span<const double> p, double rate);

// Returns the two-sided p-value of a sign test: the probability of a result at least as uneven as
// `wins` to `losses` if both are equally likely. Do not count ties.
double SignTest(uint64_t wins, uint64_t losses);
// Returns the probability of at least `k` successes in `n` trials that succeed with probability `p`
// each.
double BinomialTail(uint64_t k, uint64_t n, double p);

struct MedianInterval {
  double median = 0, low = 0, high = 0;
};
// Returns the median and its 95 % confidence interval. The interval is valid for any distribution
// because its ends are order statistics. `values` maps each value to its count. Returns nullopt for
// fewer than 6 values.
std::optional<MedianInterval> IntervalOfMedian(const std::map<int32_t, uint64_t>& values);

// Returns the median slope over all pairs of points (x, y); 0 for fewer than 2 points. Cost:
// quadratic.
double TheilSen(std::span<const std::pair<double, double>> points);

// Returns the quantile `share` without interpolation. `values` are pairs of a value and its weight
// (number of occurrences).
double WeightedQuantile(std::vector<std::pair<double, double>> values, double share);

}  // namespace gprofx::variability
