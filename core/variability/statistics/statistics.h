// The statistical tests behind findings. All are exact or document their approximation. Random
// numbers are a function of a key and a counter, so that the same data give the same result
// everywhere. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gprofx::variability {

// Returns random number `counter` of a key.
uint64_t RandomAt(uint64_t key, uint64_t counter);

// The ranks of values, 1 = smallest, as a permutation test needs them.
struct RankedValues {
  std::vector<int64_t> twice;    // twice the rank of each value, from 2 on; ties share their mean
  double mean = 0, squares = 0;  // of `twice`: mean, sum of squared deviations
};
RankedValues RanksOf(std::span<const double> values);

// Tests whether the values at `chosen` (positions) differ from the rest. Returns the two-sided
// p-value: the probability that a random choice of as many positions has a rank sum at least as far
// from the mean; 1 if there is nothing to compare.
//
// With ten or more values on each side, uses the normal distribution, corrected for ties.
// Otherwise, tries up to 20,000 random choices and stops after 20 that are as extreme (Besag and
// Clifford). If none is as extreme, returns the smaller of the p-values of both methods.
double PermutationTest(const RankedValues& ranks, std::span<const uint32_t> chosen, uint64_t key);

// Returns which hypotheses are discoveries at this false discovery rate (Benjamini and Hochberg).
std::vector<bool> Discoveries(std::span<const double> p, double rate);

// Two-sided sign test of `wins` against `losses` under even odds; ties do not count.
double SignTest(uint64_t wins, uint64_t losses);
// P(at least k of n), each with probability p.
double BinomialTail(uint64_t k, uint64_t n, double p);

struct MedianInterval {
  double median = 0, low = 0, high = 0;
};
// Returns the median and its 95 % confidence interval, which is valid for any distribution because
// its ends are order statistics. `values` maps each value to its count. nullopt for fewer than 6
// values.
std::optional<MedianInterval> IntervalOfMedian(const std::map<int32_t, uint64_t>& values);

// Median slope over all pairs of points (x, y); 0 for fewer than 2 points. Quadratic.
double TheilSen(std::span<const std::pair<double, double>> points);

// `values` are (value, weight): the weight is how often the value occurs. Not interpolated.
double WeightedQuantile(std::vector<std::pair<double, double>> values, double share);

}  // namespace gprofx::variability
