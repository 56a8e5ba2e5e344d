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

// Values as ranks, over which a permutation test deals out labels.
struct RankedValues {
  std::vector<int64_t> twice;    // twice the rank of each value, from 2 on; ties share their mean
  double mean = 0, squares = 0;  // of `twice`: mean, sum of squared deviations
};
RankedValues RanksOf(std::span<const double> values);

// Tests whether the values at `chosen` (positions) differ from the rest. Returns the two-sided
// probability of a rank sum this far from its mean under permutation of the labels. With ten or
// more values on each side, uses the normal distribution with ties; otherwise up to 20,000 deals
// (Besag and Clifford: it stops after 20 as extreme ones). If no deal was as extreme, returns the
// smaller of the two results. 1 if there is nothing to compare.
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
// For values with their counts: the order statistics that contain the median with 95 %, for any
// distribution. nullopt for fewer than 6 values.
std::optional<MedianInterval> IntervalOfMedian(const std::map<int32_t, uint64_t>& values);

// Median slope over all pairs of points (x, y); 0 for fewer than 2 points. Quadratic.
double TheilSen(std::span<const std::pair<double, double>> points);

double MedianOf(std::vector<double> values);  // 0 if empty
double QuantileOf(std::vector<double> values, double share);
// `values` are (value, weight).
double WeightedQuantile(std::vector<std::pair<double, double>> values, double share);

}  // namespace gprofx::variability
