// Splits the time of steps into parts (step_parts.h) and computes the share of each part in the
// variance of step time. A share is the covariance of the part with the step time, divided by the
// variance of the step time; all within one lane. The shares sum up to 1 because the parts sum up
// to the step time.
#include <algorithm>
#include <utility>

#include "core/base/quantile.h"
#include "core/variability/stages/build.h"
#include "core/variability/statistics/statistics.h"
#include "core/variability/step_parts.h"

namespace gprofx::variability {
namespace {

using Numbers = std::vector<double>;  // by part
using Matrix = std::vector<Numbers>;

std::vector<Numbers> StepsOf(const StepParts& parts, const LaneParts& lane) {
  std::vector<Numbers> steps;
  for (size_t k = 0; k * parts.names.size() < lane.ns.size(); ++k) {
    const auto step = parts.Step(lane, k);
    steps.emplace_back(step.begin(), step.end());
  }
  return steps;
}

double Whole(const Numbers& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

// Returns, for each pair of parts, the sum over all steps of the product of their deviations from
// the mean.
Matrix ProductsOf(const std::vector<Numbers>& steps) {
  const size_t parts = steps.front().size();
  Numbers mean(parts);
  for (const Numbers& step : steps) {
    for (size_t i = 0; i < parts; ++i) mean[i] += step[i] / static_cast<double>(steps.size());
  }
  Matrix products(parts, Numbers(parts));
  for (const Numbers& step : steps) {
    for (size_t i = 0; i < parts; ++i) {
      for (size_t k = 0; k < parts; ++k) {
        products[i][k] += (step[i] - mean[i]) * (step[k] - mean[k]);
      }
    }
  }
  return products;
}

// Returns the share of each part in the variance, and the sum of all products.
std::pair<Numbers, double> SharesOf(const Matrix& products) {
  Numbers with_whole;
  for (const Numbers& row : products) with_whole.push_back(Whole(row));
  const double all = Whole(with_whole);
  for (double& one : with_whole) one = all > 0 ? one / all : 0;
  return {with_whole, all};
}

LaneSteps RowOf(uint32_t lane, const std::vector<Numbers>& steps, const Matrix& products) {
  LaneSteps row;
  row.lane = lane;
  row.steps = steps.size();
  Numbers wholes;
  for (const Numbers& step : steps) wholes.push_back(Whole(step));
  row.median_ns = Median(wholes);
  auto [shares, all] = SharesOf(products);
  row.shares = std::move(shares);
  row.variance_ns2 = all / static_cast<double>(steps.size());
  return row;
}

}  // namespace

void BuildSteps(Build& build) {
  StepModel& model = build.model.steps;
  const StepParts parts = PartsOf(build.plan, build.tally);
  const size_t all = parts.names.size();
  std::vector<Numbers> values(all);  // by part: its value in each step of all lanes
  Numbers wholes;
  Matrix covariance(all, Numbers(all));
  for (const LaneParts& lane : parts.lanes) {
    const std::vector<Numbers> steps = StepsOf(parts, lane);
    for (const Numbers& step : steps) {
      for (size_t i = 0; i < all; ++i) values[i].push_back(step[i]);
      wholes.push_back(Whole(step));
    }
    const Matrix products = ProductsOf(steps);
    for (size_t i = 0; i < all; ++i) {
      for (size_t k = 0; k < all; ++k) covariance[i][k] += products[i][k];
    }
    model.lanes.push_back(RowOf(lane.lane, steps, products));
  }
  std::stable_sort(model.lanes.begin(), model.lanes.end(),
                   [](const LaneSteps& one, const LaneSteps& other) {
                     return one.variance_ns2 > other.variance_ns2;
                   });
  model.steps = build.steps = wholes.size();
  if (wholes.empty()) return;
  model.median_ns = Median(wholes);
  model.p25 = Quantile(wholes, 0.25);
  model.p75 = Quantile(wholes, 0.75);
  model.p95 = Quantile(wholes, 0.95);
  model.most = Quantile(wholes, 1);
  const Numbers shares = SharesOf(covariance).first;
  for (size_t i = 0; i < all; ++i) {
    StepPart part;
    part.name = parts.names[i];
    part.median_ns = Median(values[i]);
    for (const double one : covariance[i]) {
      part.covariance.push_back(one / static_cast<double>(wholes.size()));
    }
    part.share = shares[i];
    model.parts.push_back(std::move(part));
  }
}

}  // namespace gprofx::variability
