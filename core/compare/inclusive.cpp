#include "core/compare/inclusive.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/compare/statistics/sums.h"

namespace gprofx::compare {
namespace {

// Minimum variance of a mean of logarithms. The computed one may be too small, because the runs may
// agree by chance.
constexpr double kMinVarianceOfMean = 1e-7;

// Logarithms of head / base: one for each pair. Without pairs, the difference of the two means, and
// its variance.
struct Ratios {
  std::vector<double> pairs;
  double mean = 0, variance_of_mean = 0, df = 0;
};

std::optional<Ratios> RatiosOf(const Series& series, bool paired) {
  std::vector<double> base, head;
  for (const double value : series.base) base.push_back(std::log(value));
  for (const double value : series.head) head.push_back(std::log(value));
  Ratios ratios;
  ratios.mean = Mean(head) - Mean(base);
  if (!std::isfinite(ratios.mean)) return std::nullopt;
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(head.size());
  if (paired) {
    for (size_t i = 0; i < base.size(); ++i) ratios.pairs.push_back(head[i] - base[i]);
  } else {
    ratios.df = n + m - 2;
    if (ratios.df < 1) return std::nullopt;
    const double squares = SquaresAround(base, Mean(base)) + SquaresAround(head, Mean(head));
    ratios.variance_of_mean = squares / ratios.df * (1 / n + 1 / m);
  }
  return ratios;
}

// Returns the logarithm by which a function changed, minus the global change; no value if it cannot
// be estimated.
std::optional<Estimate> RiseOf(const Series& series, std::span<const double> everywhere,
                               bool paired) {
  std::optional<Ratios> ratios = RatiosOf(series, paired);
  if (!ratios) return std::nullopt;
  if (!paired) {
    const double variance = std::max(ratios->variance_of_mean, kMinVarianceOfMean);
    return Estimate{ratios->mean - everywhere[0], std::sqrt(variance), ratios->df};
  }
  for (size_t i = 0; i < ratios->pairs.size(); ++i) ratios->pairs[i] -= everywhere[i];
  const auto n = static_cast<double>(ratios->pairs.size());
  if (n < 2) return std::nullopt;
  const double squares = SquaresAround(ratios->pairs, Mean(ratios->pairs));
  const double variance = std::max(squares / (n - 1) / n, kMinVarianceOfMean);
  return Estimate{Mean(ratios->pairs), std::sqrt(variance), n - 1};
}

}  // namespace

void MeasureInclusive(std::span<const Series> inclusive, const Comparison& self,
                      const Settings& settings, std::vector<Change>& changes) {
  std::unordered_map<std::string_view, const Outcome*> by_key;
  std::vector<double> p;
  std::vector<Outcome*> tested;
  for (size_t i = 0; i < changes.size(); ++i) {
    Outcome& outcome = changes[i].inclusive;
    outcome.base = Mean(inclusive[i].base);
    outcome.head = Mean(inclusive[i].head);
    outcome.share =
        std::max(ShareOf(outcome.base, self.total.base), ShareOf(outcome.head, self.total.head));
    if (self.everywhere.empty() || outcome.share < settings.least_share) continue;
    const std::optional<Estimate> rise = RiseOf(inclusive[i], self.everywhere, settings.paired);
    if (!rise) continue;
    outcome.tested = true;
    outcome.estimate = *rise;
    outcome.interval = ConfidenceInterval(*rise, settings.confidence);
    p.push_back(outcome.p = PValueOfMoreThan(*rise, settings.least_effect));
    tested.push_back(&outcome);
    by_key.emplace(changes[i].key, &outcome);
  }
  const std::vector<double> rates = FalseDiscoveryRates(p);
  for (size_t i = 0; i < tested.size(); ++i) {
    tested[i]->rate = rates[i];
    tested[i]->detectable =
        Detectable(tested[i]->estimate.error, tested[i]->estimate.df, settings.least_effect,
                   settings.false_discoveries / static_cast<double>(tested.size()), settings.power);
    tested[i]->verdict =
        VerdictOf(*tested[i], settings.least_effect, settings.false_discoveries, settings);
  }
  for (Change& change : changes) {
    const auto caller = by_key.find(change.part.parent);
    if (caller != by_key.end()) change.caller = *caller->second;
  }
}

}  // namespace gprofx::compare
