#include "core/analyses/step_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/quantile.h"
#include "core/base/student.h"
#include "core/steps/phases.h"

namespace gprofx::analyses {
namespace {

constexpr double kTrimmed = 0.2;  // fraction of the steps left out at each end

// Returns the mean of `values` without the fraction kTrimmed at each end, and its confidence
// interval from Yuen's standard error (winsorized variance).
StepTime Trim(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  const auto cut = static_cast<size_t>(kTrimmed * static_cast<double>(n));
  const size_t kept = n - 2 * cut;
  StepTime out;
  for (size_t i = cut; i < cut + kept; ++i) {
    out.mean_ns += static_cast<double>(values[i]) / static_cast<double>(kept);
  }
  if (kept < 4) return out;
  double mean = 0, variance = 0;
  const auto winsorized = [&](size_t i) {
    return static_cast<double>(values[std::clamp(i, cut, cut + kept - 1)]);
  };
  for (size_t i = 0; i < n; ++i) mean += winsorized(i) / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) variance += (winsorized(i) - mean) * (winsorized(i) - mean);
  const auto h = static_cast<double>(kept);
  const double error = std::sqrt(variance / (h * (h - 1)));
  out.half_width_ns = error * StudentQuantile(h - 1, 0.975);
  return out;
}

double Mean(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<int64_t> StepLengths(const AnalysisContext& context) {
  std::vector<int64_t> lengths;
  if (context.profile.phases.trains.empty()) return lengths;
  const auto& part = context.profile.part;
  for (const TimeRange& step : context.profile.phases.trains[0].steps) {
    if (part && (step.begin < part->range.begin || step.end > part->range.end)) continue;
    lengths.push_back(step.end - step.begin);
  }
  return lengths;
}

StepTime StepTimeOf(const std::vector<int64_t>& lengths) {
  if (lengths.empty()) return {};
  const double mean = Mean(lengths);
  if (StepsAreUneven(mean, static_cast<double>(Median(lengths)))) return {mean, 0, true};
  return Trim(lengths);
}

}  // namespace gprofx::analyses
