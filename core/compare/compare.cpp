#include "core/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/compare/statistics/moderation.h"
#include "core/compare/statistics/sums.h"

namespace gprofx::compare {
namespace {

// Minimum variance of a logarithm in addition to that of sampling: the smallest realistic noise
// between runs.
constexpr double kMinVariance = 0.0005;
// Minimum variance for the weight of a single subject. It is larger than kMinVariance, because any
// single subject may be noisy, and one subject must not decide the global change alone.
constexpr double kOwnVariance = 0.01;
constexpr double kMinSamples = 5;  // minimum number of samples of a subject per run
constexpr size_t kFewSubjects = 8;
constexpr int kMaxPairs = 1000;

struct Logs {
  std::vector<double> base, head;
};

// Returns how much time a sample represents; 0 if the values are exact.
double WeightOfSample(const Series& series) {
  const double samples = Sum(series.base_samples) + Sum(series.head_samples);
  return samples > 0 ? (Sum(series.base) + Sum(series.head)) / samples : 0;
}

// True if the subject has too few samples to be compared. Samples come at regular intervals, so the
// sample counts of large functions vary less between runs than chance predicts. This does not hold
// for functions with few samples, which must not be considered equally steady.
bool IsTooRare(const Series& series) {
  const double samples = Sum(series.base_samples) + Sum(series.head_samples);
  const auto runs = static_cast<double>(series.base.size() + series.head.size());
  return samples > 0 && samples < kMinSamples * runs;
}

// Returns the logarithms of the values. Half a sample is added to sampled values, which gives a
// function without samples in a run a logarithm, too. No value if one version spent no time in the
// subject, if IsTooRare(), or if an exact value is 0.
std::optional<Logs> LogsOf(const Series& series) {
  if (Sum(series.base) <= 0 || Sum(series.head) <= 0) return std::nullopt;
  if (IsTooRare(series)) return std::nullopt;
  const double half = WeightOfSample(series) / 2;
  Logs logs;
  for (const double value : series.base) logs.base.push_back(std::log(value + half));
  for (const double value : series.head) logs.head.push_back(std::log(value + half));
  for (const auto* side : {&logs.base, &logs.head}) {
    for (const double value : *side) {
      if (!std::isfinite(value)) return std::nullopt;
    }
  }
  return logs;
}

// Returns the variance of a run's logarithm that is due to its number of samples.
double SamplingVariance(const std::vector<double>& samples) {
  if (samples.empty()) return 0;
  return 1 / std::max(Mean(samples), 1.0);
}

// Returns the variance that is due to the errors of estimates.
double EstimateVariance(const std::vector<double>& errors) {
  if (errors.empty()) return 0;
  return SquaresAround(errors, 0) / static_cast<double>(errors.size());
}

double KnownVariance(const Series& series) {
  return SamplingVariance(series.base_samples) + SamplingVariance(series.head_samples) +
         EstimateVariance(series.base_error) + EstimateVariance(series.head_error);
}

// An effect whose variance is not yet moderated. The variance of `effect` is unit * scale.
struct Raw {
  double effect = 0;
  double unit = 0;  // variance of one pair, or of one run
  double df = 0;
  double scale = 0;
  double floor = 1;  // minimum of `unit`
};

Raw Paired(const Logs& logs, const Series& series, std::span<const double> global) {
  std::vector<double> differences;
  for (size_t i = 0; i < logs.base.size(); ++i) {
    differences.push_back(logs.head[i] - logs.base[i] - (global.empty() ? 0 : global[i]));
  }
  Raw raw;
  raw.effect = Mean(differences);
  raw.df = static_cast<double>(differences.size()) - 1;
  raw.scale = 1 / static_cast<double>(differences.size());
  if (raw.df > 0) raw.unit = SquaresAround(differences, raw.effect) / raw.df;
  raw.floor = KnownVariance(series) + kMinVariance;
  return raw;
}

Raw Unpaired(const Logs& logs, const Series& series, double global) {
  const double base = Mean(logs.base), head = Mean(logs.head);
  Raw raw;
  raw.effect = head - base - global;
  const auto n = static_cast<double>(logs.base.size()), m = static_cast<double>(logs.head.size());
  raw.df = n + m - 2;
  raw.scale = 1 / n + 1 / m;
  if (raw.df > 0) {
    raw.unit = (SquaresAround(logs.base, base) + SquaresAround(logs.head, head)) / raw.df;
  }
  raw.floor = (KnownVariance(series) + kMinVariance) / 2;
  return raw;
}

Estimate EstimateOf(const Raw& raw, const Prior& prior) {
  const Variance variance = Moderated(prior, raw.unit / raw.floor, raw.df);
  return {raw.effect, std::sqrt(variance.value * raw.floor * raw.scale), variance.df};
}

// Sets the interval, `detectable` and the verdict of `outcome`. `alpha` is the largest p-value at
// which a single change is reported.
void Finish(Outcome& outcome, double least_effect, double alpha, double rate,
            const Settings& settings) {
  outcome.interval = ConfidenceInterval(outcome.estimate, settings.confidence);
  outcome.detectable =
      Detectable(outcome.estimate.error, outcome.estimate.df, least_effect, alpha, settings.power);
  outcome.verdict = VerdictOf(outcome, least_effect, rate, settings);
}

Outcome TotalOf(const Series& total, const Settings& settings) {
  Outcome outcome;
  outcome.share = 1;
  if (total.base.empty() || total.head.empty()) return outcome;
  outcome.base = Mean(total.base);
  outcome.head = Mean(total.head);
  const std::optional<Logs> logs = LogsOf(total);
  if (!logs) return outcome;
  const Raw raw = settings.paired ? Paired(*logs, total, {}) : Unpaired(*logs, total, 0);
  outcome.estimate = EstimateOf(raw, {});
  outcome.tested = outcome.estimate.df > 0;
  outcome.rate = outcome.p = PValueOfMoreThan(outcome.estimate, settings.least_total_effect);
  Finish(outcome, settings.least_total_effect, settings.total_alpha, settings.total_alpha,
         settings);
  return outcome;
}

// A value and its weight in the weighted median, which has half of the weight below it and half
// above. Half of a value's own weight counts on either side of the value, and the result is
// interpolated between values. A few extreme values change it little.
struct Weighted {
  double value = 0, weight = 0;
};
double WeightedMedian(std::vector<Weighted> all) {
  std::sort(all.begin(), all.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double whole = 0;
  for (const Weighted& one : all) whole += one.weight;
  double below = 0;  // sum of the weights before `i`
  for (size_t i = 0; i < all.size(); ++i) {
    const double here = below + all[i].weight / 2;
    if (here < whole / 2) {
      below += all[i].weight;
      continue;
    }
    if (i == 0) return all[i].value;
    const double step = (all[i - 1].weight + all[i].weight) / 2;
    const double back = (here - whole / 2) / step;
    return all[i].value + back * (all[i - 1].value - all[i].value);
  }
  return all.empty() ? 0 : all.back().value;
}

// Limits each weight to 1 / kFewSubjects of the sum. A subject with most of the samples could
// otherwise decide alone.
void LimitWeights(std::vector<Weighted>& all) {
  std::vector<double> weights;
  double rest = 0;
  for (const Weighted& one : all) {
    weights.push_back(one.weight);
    rest += one.weight;
  }
  std::sort(weights.begin(), weights.end(), std::greater<>());
  for (size_t heavy = 0; heavy < std::min(kFewSubjects, weights.size()); ++heavy) {
    const double most = rest / static_cast<double>(kFewSubjects - heavy);
    // The last weight may exceed the limit, because of rounding.
    if (weights[heavy] <= most || heavy + 1 == kFewSubjects) {
      for (Weighted& one : all) one.weight = std::min(one.weight, most);
      return;
    }
    rest -= weights[heavy];
  }
}

// Returns the global change: a value for each pair, or a single value if there are no pairs.
// Subjects are weighted by precision. Returns 0 if there are fewer than kFewSubjects, because a
// global change then cannot be distinguished from a change of one subject.
std::vector<double> GlobalOf(std::span<const size_t> tested, std::span<const Series> subjects,
                             std::span<const Logs> logs, bool paired) {
  const size_t groups = paired ? logs[0].base.size() : 1;
  if (logs.size() < kFewSubjects) return std::vector<double>(groups, 0.0);
  std::vector<double> global;
  for (size_t group = 0; group < groups; ++group) {
    std::vector<Weighted> all;
    for (size_t i = 0; i < logs.size(); ++i) {
      const double change = paired ? logs[i].head[group] - logs[i].base[group]
                                   : Mean(logs[i].head) - Mean(logs[i].base);
      all.push_back({change, 1 / (KnownVariance(subjects[tested[i]]) + kOwnVariance)});
    }
    LimitWeights(all);
    global.push_back(WeightedMedian(std::move(all)));
  }
  return global;
}

}  // namespace

Verdict VerdictOf(const Outcome& outcome, double least_effect, double rate,
                  const Settings& settings) {
  if (!outcome.tested) return Verdict::kInconclusive;
  if (outcome.rate <= rate) {
    return outcome.estimate.effect > 0 ? Verdict::kRegression : Verdict::kImprovement;
  }
  const bool within = PValueOfWithin(outcome.estimate, least_effect) <= 1 - settings.confidence;
  return within ? Verdict::kEquivalent : Verdict::kInconclusive;
}

Comparison Compare(const Series& total, std::span<const Series> subjects,
                   const Settings& settings) {
  Comparison result;
  result.total = TotalOf(total, settings);
  result.subjects.resize(subjects.size());

  std::vector<size_t> tested;  // indices of subjects
  std::vector<Logs> logs;
  for (size_t i = 0; i < subjects.size(); ++i) {
    Outcome& outcome = result.subjects[i];
    outcome.base = Mean(subjects[i].base);
    outcome.head = Mean(subjects[i].head);
    outcome.share = std::max(ShareOf(outcome.base, result.total.base),
                             ShareOf(outcome.head, result.total.head));
    if (!result.total.tested || outcome.share < settings.least_share) continue;
    std::optional<Logs> found = LogsOf(subjects[i]);
    if (!found) continue;
    outcome.tested = true;
    tested.push_back(i);
    logs.push_back(std::move(*found));
  }
  if (tested.empty()) return result;

  result.everywhere = GlobalOf(tested, subjects, logs, settings.paired);
  result.global = Mean(result.everywhere);

  std::vector<Raw> raws;
  std::vector<double> ratios;
  for (size_t i = 0; i < tested.size(); ++i) {
    const Series& series = subjects[tested[i]];
    raws.push_back(settings.paired ? Paired(logs[i], series, result.everywhere)
                                   : Unpaired(logs[i], series, result.global));
    ratios.push_back(raws.back().unit / raws.back().floor);
  }
  const Prior prior = FitPrior(ratios, raws.front().df);
  std::vector<double> p;
  for (size_t i = 0; i < tested.size(); ++i) {
    Outcome& outcome = result.subjects[tested[i]];
    outcome.estimate = EstimateOf(raws[i], prior);
    p.push_back(outcome.p = PValueOfMoreThan(outcome.estimate, settings.least_effect));
  }
  const std::vector<double> rates = FalseDiscoveryRates(p);
  const double alpha = settings.false_discoveries / static_cast<double>(tested.size());
  for (size_t i = 0; i < tested.size(); ++i) {
    Outcome& outcome = result.subjects[tested[i]];
    outcome.rate = rates[i];
    Finish(outcome, settings.least_effect, alpha, settings.false_discoveries, settings);
  }
  return result;
}

int PairsFor(const Outcome& total, double effect, int pairs, const Settings& settings) {
  if (!total.tested || pairs < 1) return 0;
  for (int n = pairs; n <= kMaxPairs; ++n) {
    const double error = total.estimate.error * std::sqrt(static_cast<double>(pairs) / n);
    const double df = total.estimate.df + (n - pairs);
    if (Detectable(error, df, settings.least_total_effect, settings.total_alpha, settings.power) <=
        effect) {
      return n;
    }
  }
  return 0;
}

}  // namespace gprofx::compare
