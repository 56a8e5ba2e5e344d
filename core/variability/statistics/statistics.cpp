#include "core/variability/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/hash.h"
#include "core/base/quantile.h"

namespace gprofx::variability {
namespace {

constexpr uint64_t kMaxDeals = 20'000, kEnoughHits = 20;
constexpr size_t kNormalFrom = 10;
// P-value if none of the random choices was as extreme.
constexpr double kFewestDeals = 1.5 / static_cast<double>(kMaxDeals);

double NormalTail(double z) { return std::erfc(z / std::sqrt(2.0)); }  // probability on both sides

double ByNormal(const RankedValues& ranks, double n, double distance) {
  const auto all = static_cast<double>(ranks.twice.size());
  const double variance = n * (all - n) / (all * (all - 1)) * ranks.squares;
  return variance > 0 ? NormalTail(distance / std::sqrt(variance)) : 1;
}

double ByDeals(std::span<const int64_t> ranks, size_t n, double mean, double distance,
               uint64_t key) {
  std::vector<int64_t> deck(ranks.begin(), ranks.end());
  uint64_t hits = 0, counter = 0;
  for (uint64_t deal = 1; deal <= kMaxDeals; ++deal) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t random = RandomAt(key, counter++);
      std::swap(deck[i], deck[i + random % (deck.size() - i)]);
      sum += deck[i];
    }
    // Twice a rank sum is an integer. The margin of 0.25 absorbs the rounding of the mean.
    if (std::abs(static_cast<double>(sum) - mean) >= distance - 0.25 && ++hits == kEnoughHits) {
      return static_cast<double>(hits) / static_cast<double>(deal);
    }
  }
  return static_cast<double>(hits + 1) / static_cast<double>(kMaxDeals + 1);
}

double LogChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

uint64_t RandomAt(uint64_t key, uint64_t counter) {
  return MixBits(key * 0xd1342543de82ef95u + (counter + 1) * kGolden);
}

RankedValues RanksOf(std::span<const double> values) {
  std::vector<std::pair<double, uint32_t>> order;  // value, position
  order.reserve(values.size());
  for (const double value : values) order.emplace_back(value, static_cast<uint32_t>(order.size()));
  std::sort(order.begin(), order.end());
  RankedValues ranks;
  ranks.twice.resize(values.size());
  ranks.mean = static_cast<double>(values.size()) + 1;
  for (size_t at = 0; at < order.size();) {
    size_t end = at;
    while (end < order.size() && order[end].first == order[at].first) ++end;
    const auto rank = static_cast<int64_t>(at + 1 + end);
    const double distance = static_cast<double>(rank) - ranks.mean;
    ranks.squares += static_cast<double>(end - at) * distance * distance;
    while (at < end) ranks.twice[order[at++].second] = rank;
  }
  return ranks;
}

double PermutationTest(const RankedValues& ranks, std::span<const uint32_t> chosen, uint64_t key) {
  const size_t n = chosen.size(), rest = ranks.twice.size() - n;
  if (n == 0 || rest == 0) return 1;
  double sum = 0;
  for (const uint32_t i : chosen) sum += static_cast<double>(ranks.twice[i]);
  const double mean = ranks.mean * static_cast<double>(n);
  const double distance = std::abs(sum - mean);
  if (n >= kNormalFrom && rest >= kNormalFrom) {
    return ByNormal(ranks, static_cast<double>(n), distance);
  }
  const double dealt = ByDeals(ranks.twice, n, mean, distance, key);
  if (dealt > kFewestDeals) return dealt;
  // No random choice was as extreme, so the p-value is below what random choices can resolve. The
  // normal distribution is safe here, because rank sums have lighter tails.
  return std::min(dealt, ByNormal(ranks, static_cast<double>(n), distance));
}

std::vector<bool> Discoveries(std::span<const double> p, double rate) {
  std::vector<uint32_t> order(p.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return p[a] != p[b] ? p[a] < p[b] : a < b; });
  size_t found = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double limit = rate * static_cast<double>(i + 1) / static_cast<double>(p.size());
    if (p[order[i]] <= limit) found = i + 1;
  }
  std::vector<bool> out(p.size());
  for (size_t i = 0; i < found; ++i) out[order[i]] = true;
  return out;
}

double BinomialTail(uint64_t k, uint64_t n, double p) {
  if (k == 0) return 1;
  if (k > n || p <= 0) return 0;
  const auto all = static_cast<double>(n);
  if (n > 100'000) {  // normal approximation with continuity correction
    const double z = (static_cast<double>(k) - 0.5 - all * p) / std::sqrt(all * p * (1 - p));
    return z > 0 ? NormalTail(z) / 2 : 1 - NormalTail(-z) / 2;
  }
  double sum = 0;
  for (uint64_t i = k; i <= n; ++i) {
    const auto at = static_cast<double>(i);
    const double term =
        std::exp(LogChoose(all, at) + at * std::log(p) + (all - at) * std::log1p(-p));
    sum += term;
    if (term < sum * 1e-12 && at > all * p) break;
  }
  return std::min(sum, 1.0);
}

double SignTest(uint64_t wins, uint64_t losses) {
  const uint64_t n = wins + losses;
  if (n == 0) return 1;
  return std::min(2 * BinomialTail(std::max(wins, losses), n, 0.5), 1.0);
}

std::optional<MedianInterval> IntervalOfMedian(const std::map<int32_t, uint64_t>& values) {
  uint64_t n = 0;
  for (const auto& [value, count] : values) n += count;
  if (n < 6) return std::nullopt;
  const auto at = [&](uint64_t k) {
    for (const auto& [value, count] : values) {
      if (k < count) return static_cast<double>(value);
      k -= count;
    }
    return static_cast<double>(values.rbegin()->first);
  };
  // Find the largest k with P(fewer than k of n values are below the median) <= 2.5 %.
  const double half = static_cast<double>(n) / 2, sd = std::sqrt(static_cast<double>(n)) / 2;
  auto k = static_cast<uint64_t>(std::max(half - 1.96 * sd, 0.0));
  while (2 * k < n && BinomialTail(n - k, n, 0.5) <= 0.025) ++k;
  while (k > 0 && BinomialTail(n - k + 1, n, 0.5) > 0.025) --k;
  return MedianInterval{(at((n - 1) / 2) + at(n / 2)) / 2, at(k == 0 ? 0 : k - 1),
                        at(k == 0 ? n - 1 : n - k)};
}

double TheilSen(std::span<const std::pair<double, double>> points) {
  std::vector<double> slopes;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t k = i + 1; k < points.size(); ++k) {
      const double run = points[k].first - points[i].first;
      if (run != 0) slopes.push_back((points[k].second - points[i].second) / run);
    }
  }
  return Median(std::move(slopes));
}

double WeightedQuantile(std::vector<std::pair<double, double>> values, double share) {
  std::sort(values.begin(), values.end());
  double all = 0, before = 0;
  for (const auto& [value, weight] : values) all += weight;
  for (const auto& [value, weight] : values) {
    before += weight;
    if (before >= share * all) return value;
  }
  return values.empty() ? 0 : values.back().first;
}

}  // namespace gprofx::variability
