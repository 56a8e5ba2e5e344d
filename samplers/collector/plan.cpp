#include "samplers/collector/plan.h"

#include <algorithm>

namespace gprofx {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace

wire::SamplingPlan MakePlan(const PlanRequest& request, const Machine& machine) {
  wire::SamplingPlan plan{};
  const uint64_t rate = std::clamp(request.rate, kMinRate, kMaxRate);
  const uint64_t hz = std::max<uint32_t>(machine.kernel_hz, 1);
  plan.python = request.python;
  plan.follow_children = request.follow_children;
  plan.nominal_period_ns = kSecond / rate;
  plan.tick_ns = static_cast<uint32_t>(kSecond / hz);
  if (request.wall_clock) {
    plan.wall_clock = 1;
    return plan;
  }
  plan.posix_period_ns = kSecond / rate;
  if (rate > hz && machine.perf_allowed) {
    plan.use_perf = 1;
    plan.perf_sigtrap = machine.perf_sigtrap;
    plan.posix_period_ns = kSecond / hz;
    plan.perf_period_ns = kSecond / (rate - hz);
  }
  return plan;
}

uint32_t ExpectedRate(const wire::SamplingPlan& plan, const Machine& machine) {
  if (plan.nominal_period_ns == 0) return 0;
  const auto rate =
      static_cast<uint32_t>((kSecond + plan.nominal_period_ns / 2) / plan.nominal_period_ns);
  if (plan.wall_clock || plan.use_perf) return rate;
  return std::min(rate, machine.kernel_hz);
}

std::string SourceName(const wire::SamplingPlan& plan) {
  if (plan.wall_clock) return "wall-clock";
  return plan.use_perf ? "posix-cpu-timer+perf-task-clock" : "posix-cpu-timer";
}

}  // namespace gprofx
