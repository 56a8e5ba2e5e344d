#include "core/compare/cost_shift.h"

#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/median.h"

namespace gprofx::compare {
namespace {

constexpr double kCompensated = 0.8;  // of what some functions take longer, others give
constexpr double kPassedOn = 0.5;     // of what a function takes longer, its caller must take

bool IsRegression(const Change& change) { return change.outcome.verdict == Verdict::kRegression; }

// Where the whole is no slower, what some give pays for what others take.
void FindCompensated(std::vector<Change>& changes) {
  double taken = 0, given = 0;
  for (const Change& change : changes) {
    const bool is_sure = change.fate == Change::kNew || change.fate == Change::kGone ||
                         change.fate == Change::kRenamed || IsRegression(change) ||
                         change.outcome.verdict == Verdict::kImprovement;
    const double cost = change.outcome.head - change.outcome.base;
    if (is_sure) (cost > 0 ? taken : given) += std::fabs(cost);
  }
  if (taken <= 0 || given < kCompensated * taken) return;
  for (Change& change : changes) change.moved = change.moved || IsRegression(change);
}

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Squares(std::span<const double> values) {
  double sum = 0;
  const double mean = Mean(values);
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// Logarithms of head / base: of each pair, or of the two means and what varies around them.
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
    ratios.variance_of_mean = (Squares(base) + Squares(head)) / ratios.df * (1 / n + 1 / m);
  }
  return ratios;
}

// What changed everywhere: the median over the parts that were tested, of each pair or of all.
std::vector<double> Everywhere(std::span<const Series> self, std::span<const Change> changes,
                               bool paired) {
  std::vector<std::vector<double>> all;
  for (size_t i = 0; i < self.size(); ++i) {
    if (!changes[i].outcome.tested) continue;
    const std::optional<Ratios> ratios = RatiosOf(self[i], paired);
    if (!ratios) continue;
    const std::vector<double> list = paired ? ratios->pairs : std::vector<double>{ratios->mean};
    all.resize(list.size());
    for (size_t k = 0; k < list.size(); ++k) all[k].push_back(list[k]);
  }
  std::vector<double> medians;
  for (std::vector<double>& values : all) medians.push_back(Median(std::move(values)));
  return medians;
}

// Of one caller, without what changed everywhere. Variances are its own: those of functions with
// noise of their own say nothing of a sum.
std::optional<Estimate> RiseOf(const Series& series, std::span<const double> everywhere,
                               bool paired) {
  std::optional<Ratios> ratios = RatiosOf(series, paired);
  if (!ratios) return std::nullopt;
  if (!paired) {
    return Estimate{ratios->mean - everywhere[0], std::sqrt(ratios->variance_of_mean), ratios->df};
  }
  for (size_t i = 0; i < ratios->pairs.size(); ++i) ratios->pairs[i] -= everywhere[i];
  const auto n = static_cast<double>(ratios->pairs.size());
  return Estimate{Mean(ratios->pairs), std::sqrt(Squares(ratios->pairs) / (n - 1) / n), n - 1};
}

// What the caller surely does not take longer, another one of those that it calls has given.
void FindPassedOn(std::span<const Series> self, std::span<const Series> inclusive,
                  const Settings& settings, std::vector<Change>& changes) {
  std::unordered_map<std::string_view, size_t> by_key;
  for (size_t i = 0; i < changes.size(); ++i) by_key.emplace(changes[i].key, i);
  const std::vector<double> everywhere = Everywhere(self, changes, settings.paired);
  if (everywhere.empty()) return;
  for (Change& change : changes) {
    if (!IsRegression(change) || change.part.parent.empty()) continue;
    const auto parent = by_key.find(change.part.parent);
    if (parent == by_key.end()) continue;
    const Series& series = inclusive[parent->second];
    const std::optional<Estimate> rise = RiseOf(series, everywhere, settings.paired);
    if (!rise || rise->df <= 0) continue;
    const double high = ConfidenceInterval(*rise, settings.confidence).high;
    const double cost = change.outcome.base * std::expm1(change.outcome.estimate.effect);
    if (Mean(series.base) * std::expm1(high) < kPassedOn * cost) change.moved = true;
  }
}

}  // namespace

void FindMoved(std::span<const Series> self, std::span<const Series> inclusive,
               const Outcome& whole, const Settings& settings, std::vector<Change>& changes) {
  if (whole.verdict != Verdict::kRegression) {
    FindCompensated(changes);
    for (Change& change : changes) {
      change.moved = change.moved || (change.part.waits && IsRegression(change));
    }
  }
  FindPassedOn(self, inclusive, settings, changes);
}

}  // namespace gprofx::compare
