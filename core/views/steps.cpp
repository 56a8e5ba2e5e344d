#include "core/views/steps.h"

#include <algorithm>

#include "core/base/quantile.h"

namespace gprofx {

StepNumbers NumbersOf(const StepTrain& train) {
  StepNumbers numbers;
  numbers.count = train.steps.size();
  numbers.warm_up = std::min<size_t>(train.warm_up, numbers.count);
  std::vector<int64_t> lengths;
  for (size_t i = numbers.warm_up; i < numbers.count; ++i) {
    lengths.push_back(train.steps[i].end - train.steps[i].begin);
  }
  if (lengths.empty()) return numbers;
  numbers.median_ns = Median(lengths);
  numbers.p95_ns = Quantile(lengths, 0.95);
  // A double, because times in files may be anything and a 64-bit sum could overflow.
  double sum = 0;
  for (const int64_t length : lengths) sum += static_cast<double>(length);
  numbers.mean_ns = static_cast<int64_t>(sum / static_cast<double>(lengths.size()));
  return numbers;
}

StepNumbers NumbersOf(const Profile& profile, const StepTrain& train) {
  StepNumbers numbers = NumbersOf(train);
  numbers.median_ns = HostTime(profile, numbers.median_ns);
  numbers.p95_ns = HostTime(profile, numbers.p95_ns);
  numbers.mean_ns = HostTime(profile, numbers.mean_ns);
  return numbers;
}

std::optional<StepNumbers> StepsOf(const Profile& profile) {
  if (profile.phases.trains.empty()) return std::nullopt;
  return NumbersOf(profile, profile.phases.trains[0]);
}

}  // namespace gprofx
