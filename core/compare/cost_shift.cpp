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
constexpr double kLeastGiven = 0.5;   // likewise, where it cannot be told from all of it
constexpr double kClear = 2;          // standard errors
constexpr double kMayGive = 0.5;      // rate of false discoveries of those that give
constexpr double kPassedOn = 0.5;     // of what a function takes longer, its caller must take

bool IsRegression(const Change& change) { return change.outcome.verdict == Verdict::kRegression; }

bool IsInBoth(const Change& change) {
  return change.fate == Change::kThere || change.fate == Change::kInlined;
}

// Is it enough to stand against what others take? Less is asked than of a change that is reported:
// a regression that is none does more harm than one that is called moved.
bool MayGive(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head < change.outcome.base;
  return change.outcome.tested && change.outcome.estimate.effect < 0 &&
         change.outcome.rate <= kMayGive;
}

bool Takes(const Change& change) {
  if (!IsInBoth(change)) return change.outcome.head > change.outcome.base;
  return IsRegression(change);
}

// Time that is taken or given, and how uncertain it is.
struct Sum {
  double time = 0, variance = 0;

  void Add(const Outcome& outcome) {
    time += std::fabs(outcome.head - outcome.base);
    const double error = outcome.tested ? outcome.estimate.error * outcome.base : 0;
    variance += error * error;
  }
};

// What some give pays for what others take, unless it is clearly less.
bool IsPaidFor(const std::vector<Change>& changes) {
  Sum taken, given;
  for (const Change& change : changes) {
    if (Takes(change)) taken.Add(change.outcome);
    if (MayGive(change)) given.Add(change.outcome);
  }
  if (taken.time <= 0) return false;
  if (given.time >= kCompensated * taken.time) return true;
  const double rest = taken.time - given.time;
  return given.time >= kLeastGiven * taken.time &&
         rest <= kClear * std::sqrt(taken.variance + given.variance);
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
bool IsPassedOn(const Change& change) {
  if (change.caller.df <= 0) return false;
  const double cost = change.outcome.base * std::expm1(change.outcome.estimate.effect);
  return change.caller_base * std::expm1(change.caller_interval.high) < kPassedOn * cost;
}

}  // namespace

void MeasureCallers(std::span<const Series> self, std::span<const Series> inclusive,
                    const Settings& settings, std::vector<Change>& changes) {
  std::unordered_map<std::string_view, size_t> by_key;
  for (size_t i = 0; i < changes.size(); ++i) by_key.emplace(changes[i].key, i);
  const std::vector<double> everywhere = Everywhere(self, changes, settings.paired);
  if (everywhere.empty()) return;
  for (Change& change : changes) {
    if (!change.outcome.tested || change.part.parent.empty()) continue;
    const auto parent = by_key.find(change.part.parent);
    if (parent == by_key.end()) continue;
    const Series& series = inclusive[parent->second];
    const std::optional<Estimate> rise = RiseOf(series, everywhere, settings.paired);
    if (!rise || rise->df <= 0) continue;
    change.caller_base = Mean(series.base);
    change.caller = *rise;
    change.caller_interval = ConfidenceInterval(*rise, settings.confidence);
  }
}

void FindMoved(const Outcome& whole, std::vector<Change>& changes) {
  const bool is_slower = whole.verdict == Verdict::kRegression;
  const bool paid = !is_slower && IsPaidFor(changes);
  for (Change& change : changes) {
    const bool waits = !is_slower && change.part.waits;
    change.moved = IsRegression(change) && (paid || waits || IsPassedOn(change));
  }
}

}  // namespace gprofx::compare
