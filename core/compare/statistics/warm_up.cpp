#include "core/compare/statistics/warm_up.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/compare/statistics/tests.h"

namespace gprofx::compare {
namespace {

constexpr double kMinTrend = 0.02;  // minimum difference, as a logarithm
constexpr double kLevel = 0.01;     // share of steady jobs that lose a pair by mistake
constexpr size_t kMinPairs = 3;     // minimum number of pairs that remain

// True if the first of `pairs` is an outlier compared with the others.
bool StandsOut(std::span<const double> pairs) {
  const std::span<const double> others = pairs.subspan(1);
  const auto count = static_cast<double>(others.size());
  double mean = 0, squares = 0;
  for (const double other : others) mean += other / count;
  for (const double other : others) squares += (other - mean) * (other - mean);
  const double df = count - 1;
  const double error = std::sqrt(squares / df * (1 + 1 / count));
  return PValueOfMoreThan({pairs[0] - mean, error, df}, kMinTrend) <= kLevel;
}

}  // namespace

size_t WarmUpPairs(std::span<const double> base, std::span<const double> head) {
  std::vector<double> pairs;
  for (size_t i = 0; i < std::min(base.size(), head.size()); ++i) {
    if (!(base[i] > 0) || !(head[i] > 0)) return 0;
    pairs.push_back((std::log(base[i]) + std::log(head[i])) / 2);
  }
  if (pairs.size() <= kMinPairs) return 0;
  const size_t most = std::min(pairs.size() / 3, pairs.size() - kMinPairs);
  // The warm-up reaches to the last outlier. All pairs before it belong to it, too.
  for (size_t drop = most; drop > 0; --drop) {
    if (StandsOut(std::span<const double>(pairs).subspan(drop - 1))) return drop;
  }
  return 0;
}

}  // namespace gprofx::compare
