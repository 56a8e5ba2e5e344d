// Steps as sums of parts, and what of the variance of their time lies in which part: the covariance
// of the part with the whole by the variance of the whole, within each lane. These shares add up to
// 1 because the parts add up to the step.
#include <algorithm>
#include <array>
#include <utility>

#include "core/variability/build.h"
#include "core/variability/statistics.h"

namespace gprofx::variability {
namespace {

constexpr size_t kAllParts = kParts + 1;  // and idle
constexpr const char* kNames[kAllParts] = {"compute", "exposed communication", "exposed copies",
                                           "idle"};
using Parts = std::array<double, kAllParts>;

std::vector<Parts> StepsOfLane(const Build& build, uint32_t lane) {
  const PlanLane& plan = build.plan.lanes[lane];
  std::vector<Parts> steps;
  for (uint32_t k = plan.warm_up; k < plan.steps.size(); ++k) {
    Parts parts{};
    double idle = static_cast<double>(plan.steps[k].end - plan.steps[k].begin);
    const auto found = build.tally.steps.find({lane, k});
    for (size_t i = 0; found != build.tally.steps.end() && i < kParts; ++i) {
      parts[i] = static_cast<double>(found->second.parts[i]);
      idle -= parts[i];
    }
    parts[kParts] = idle;
    steps.push_back(parts);
  }
  return steps;
}

double Whole(const Parts& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

using Matrix = std::array<Parts, kAllParts>;

// Sums of products of differences from the mean.
Matrix ProductsOf(const std::vector<Parts>& steps) {
  Parts mean{};
  for (const Parts& step : steps) {
    for (size_t i = 0; i < kAllParts; ++i) mean[i] += step[i] / static_cast<double>(steps.size());
  }
  Matrix products{};
  for (const Parts& step : steps) {
    for (size_t i = 0; i < kAllParts; ++i) {
      for (size_t k = 0; k < kAllParts; ++k) {
        products[i][k] += (step[i] - mean[i]) * (step[k] - mean[k]);
      }
    }
  }
  return products;
}

// By which part the whole varies, and how much in all.
std::pair<Parts, double> SharesOf(const Matrix& products) {
  Parts with_whole{};
  for (size_t i = 0; i < kAllParts; ++i) with_whole[i] = Whole(products[i]);
  const double all = Whole(with_whole);
  for (double& one : with_whole) one = all > 0 ? one / all : 0;
  return {with_whole, all};
}

LaneSteps RowOf(uint32_t lane, const std::vector<Parts>& steps, const Matrix& products) {
  LaneSteps row;
  row.lane = lane;
  row.steps = steps.size();
  std::vector<double> wholes;
  for (const Parts& step : steps) wholes.push_back(Whole(step));
  row.median_ns = MedianOf(wholes);
  const auto [shares, all] = SharesOf(products);
  row.shares.assign(shares.begin(), shares.end());
  row.variance_ns2 = all / static_cast<double>(steps.size());
  return row;
}

}  // namespace

void BuildSteps(Build& build) {
  StepModel& model = build.model.steps;
  std::array<std::vector<double>, kAllParts> values;
  std::vector<double> wholes;
  Matrix covariance{};
  for (uint32_t lane = 0; lane < build.plan.lanes.size(); ++lane) {
    const std::vector<Parts> steps = StepsOfLane(build, lane);
    if (steps.empty()) continue;
    for (const Parts& step : steps) {
      for (size_t i = 0; i < kAllParts; ++i) values[i].push_back(step[i]);
      wholes.push_back(Whole(step));
    }
    const Matrix products = ProductsOf(steps);
    for (size_t i = 0; i < kAllParts; ++i) {
      for (size_t k = 0; k < kAllParts; ++k) covariance[i][k] += products[i][k];
    }
    model.lanes.push_back(RowOf(lane, steps, products));
  }
  std::stable_sort(model.lanes.begin(), model.lanes.end(),
                   [](const LaneSteps& one, const LaneSteps& other) {
                     return one.variance_ns2 > other.variance_ns2;
                   });
  model.steps = build.steps = wholes.size();
  if (wholes.empty()) return;
  model.median_ns = MedianOf(wholes);
  model.p25 = QuantileOf(wholes, 0.25);
  model.p75 = QuantileOf(wholes, 0.75);
  model.p95 = QuantileOf(wholes, 0.95);
  model.most = QuantileOf(wholes, 1);
  const Parts shares = SharesOf(covariance).first;
  for (size_t i = 0; i < kAllParts; ++i) {
    StepPart part;
    part.name = kNames[i];
    part.median_ns = MedianOf(values[i]);
    for (const double one : covariance[i]) {
      part.covariance.push_back(one / static_cast<double>(wholes.size()));
    }
    part.share = shares[i];
    model.parts.push_back(std::move(part));
  }
}

}  // namespace gprofx::variability
