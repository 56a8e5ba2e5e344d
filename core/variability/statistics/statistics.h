// The tests that findings stand on. All are exact, or say how they approximate; random numbers are
// a function of a key and a counter, so that the same data give the same answer everywhere. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace gprofx::variability {

// The counter-th random number of a key.
uint64_t RandomAt(uint64_t key, uint64_t counter);

// Values as ranks: the labels of what is tested are dealt out over them.
struct RankedValues {
  std::vector<int64_t>
      twice;  // twice the rank of each value, from 2 on; equal ones share their mean
  double mean = 0, squares = 0;  // of `twice`: the sum of squared distances from the mean
};
RankedValues RanksOf(std::span<const double> values);

// Are the values at `chosen` (positions) others than the rest? Two-sided probability of a sum of
// ranks this far from its mean when the labels are dealt out anew. With ten or more on each side by
// the normal distribution with ties, else by up to 20,000 deals (Besag and Clifford: it stops when
// 20 of them were as far), and where none of these was, by the smaller of both. 1 where there is
// nothing to compare.
double PermutationTest(const RankedValues& ranks, std::span<const uint32_t> chosen, uint64_t key);

// Which hypotheses fall at this rate of false ones among them (Benjamini and Hochberg).
std::vector<bool> Discoveries(std::span<const double> p, double rate);

// Two-sided, of `wins` and `losses` under even odds; ties count nothing.
double SignTest(uint64_t wins, uint64_t losses);
// P(at least k of n) where each has probability p.
double BinomialTail(uint64_t k, uint64_t n, double p);

struct MedianInterval {
  double median = 0, low = 0, high = 0;
};
// Of values with their numbers: the order statistics between which the median lies with 95 %,
// whatever the distribution. Nothing for fewer than 6 values.
std::optional<MedianInterval> IntervalOfMedian(const std::map<int32_t, uint64_t>& values);

// Median of the slopes between all pairs of points (x, y); 0 for fewer than 2. Quadratic.
double TheilSen(std::span<const std::pair<double, double>> points);

double MedianOf(std::vector<double> values);  // of none it is 0
double QuantileOf(std::vector<double> values, double share);
// Of (value, weight).
double WeightedQuantile(std::vector<std::pair<double, double>> values, double share);

}  // namespace gprofx::variability
