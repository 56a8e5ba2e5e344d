#include "core/compare/statistics/rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/compare/statistics/sums.h"

namespace gprofx::compare {
namespace {

// Assumed number of suspects, for the correction of p-values.
constexpr double kUsualSuspects = 3;
constexpr int kAttempts = 2;

double VarianceOf(std::span<const double> values) {
  return values.size() < 2
             ? 0
             : SquaresAround(values, Mean(values)) / static_cast<double>(values.size() - 1);
}

}  // namespace

Prior NoiseOfRounds(std::span<const std::vector<double>> rounds, size_t min_rounds) {
  std::vector<double> variances;
  for (const std::vector<double>& logs : rounds) {
    if (logs.size() < min_rounds || min_rounds < 2) continue;
    variances.push_back(VarianceOf(std::span(logs).first(min_rounds)));
  }
  return FitPrior(variances, static_cast<double>(min_rounds) - 1);
}

Estimate EstimateOfRounds(std::span<const double> logs, const Prior& prior) {
  if (logs.size() < 2) return {logs.empty() ? 0 : logs[0], 0, 0};
  const auto count = static_cast<double>(logs.size());
  const Variance variance = Moderated(prior, VarianceOf(logs), count - 1);
  return {Mean(logs), std::sqrt(variance.value / count), variance.df};
}

RoundState StateOfRounds(const Estimate& estimate, const RoundSettings& settings) {
  if (estimate.df <= 0) return RoundState::kOpen;
  const double least = settings.least_effect;
  if (PValueOfMoreThan(estimate, least) <= settings.suspicion) return RoundState::kSuspect;
  if (PValueOfWithin(estimate, least) <= settings.suspicion) return RoundState::kSame;
  return RoundState::kOpen;
}

size_t FreshRounds(const Estimate& estimate, size_t rounds, const RoundSettings& settings) {
  const double noise = estimate.error * std::sqrt(static_cast<double>(rounds));
  const double alpha = settings.job_alpha / (kUsualSuspects * kAttempts);
  for (size_t count = settings.min_rounds; count < settings.max_rounds; ++count) {
    const auto runs = static_cast<double>(count);
    const double found =
        Detectable(noise / std::sqrt(runs), runs - 1, settings.least_effect, alpha, settings.power);
    if (found <= std::fabs(estimate.effect)) return count;
  }
  return settings.max_rounds;
}

namespace {

// Returns the corrected p-value of the fresh rounds; 1 if they changed in the other direction.
double FreshP(std::span<const double> logs, const Prior& prior, const RoundSettings& settings,
              size_t first) {
  const Estimate before = EstimateOfRounds(logs.first(first), prior);
  const Estimate fresh = EstimateOfRounds(logs.subspan(first), prior);
  if (fresh.df <= 0 || (before.effect > 0) != (fresh.effect > 0)) return 1;
  return std::min(1.0, kAttempts * PValueOfMoreThan(fresh, settings.least_effect));
}

void BeginAttempt(const Estimate& all, size_t rounds, const RoundSettings& settings,
                  RoundTrial& trial) {
  trial.first = rounds;
  trial.fresh_wanted = FreshRounds(all, rounds, settings);
}

}  // namespace

void Advance(std::span<const double> logs, const Prior& prior, const RoundSettings& settings,
             RoundTrial& trial) {
  if (trial.done || logs.size() < settings.min_rounds) return;
  const Estimate all = EstimateOfRounds(logs, prior);
  const RoundState state = StateOfRounds(all, settings);
  if (trial.state == RoundState::kOpen) {
    trial.state = state;
    trial.done = state == RoundState::kSame ||
                 (state == RoundState::kOpen && logs.size() >= settings.max_rounds);
    trial.fresh_from = logs.size();
    if (state == RoundState::kSuspect) BeginAttempt(all, logs.size(), settings, trial);
    return;
  }
  if (logs.size() - trial.first < trial.fresh_wanted) return;
  trial.p = std::min(trial.p, FreshP(logs, prior, settings, trial.first));
  trial.done = ++trial.attempts >= kAttempts || state != RoundState::kSuspect ||
               trial.p <= settings.job_alpha / kUsualSuspects;
  if (!trial.done) BeginAttempt(all, logs.size(), settings, trial);
}

std::vector<bool> Confirmed(std::span<const double> values, double job_alpha) {
  std::vector<double> p(values.begin(), values.end());
  for (double& value : p) value = std::isnan(value) ? 1 : value;
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<bool> confirmed(p.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (!(p[order[i]] * static_cast<double>(p.size() - i) <= job_alpha)) break;
    confirmed[order[i]] = true;
  }
  return confirmed;
}

}  // namespace gprofx::compare
