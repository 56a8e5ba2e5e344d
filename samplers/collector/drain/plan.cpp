#include "samplers/collector/drain/plan.h"

#include <algorithm>

namespace gprofx {
namespace {

constexpr uint64_t kPerSecond = 1'000'000'000;  // ns
// From this multiple of the tick rate on, ticks count as samples of user code too, which saves perf
// interrupts. At lower rates, ticks would be too large a share of all samples. When threads compete
// for a core, ticks do not land at random, because scheduling happens on ticks.
constexpr uint64_t kTicksHelp = 3;

}  // namespace

wire::SamplingPlan MakePlan(const PlanRequest& request, const Machine& machine) {
  wire::SamplingPlan plan{};
  const uint64_t rate = std::clamp(request.rate, kMinRate, kMaxRate);
  const uint64_t hz = std::max<uint32_t>(machine.kernel_hz, 1);
  plan.python = request.python;
  plan.follow_children = request.follow_children;
  plan.nominal_period_ns = kPerSecond / rate;
  plan.tick_ns = static_cast<uint32_t>(kPerSecond / hz);
  if (request.wall_clock) {
    plan.wall_clock = 1;
    plan.posix_period_ns = std::max(plan.nominal_period_ns, kPerSecond / hz);
    return plan;
  }
  // Make the period shorter than a tick. Otherwise a thread that is switched in just after a tick
  // would miss the next one.
  const uint64_t every_tick = kPerSecond / hz - kPerSecond / hz / 4;
  plan.posix_period_ns = rate >= hz ? every_tick : kPerSecond / rate;
  if (machine.perf_allowed) {
    plan.use_perf = 1;
    plan.perf_period_ns = kPerSecond / (rate >= kTicksHelp * hz ? rate - hz : rate);
  }
  return plan;
}

wire::GpuPlan MakeGpuPlan(const GpuRequest& request) {
  wire::GpuPlan plan{};
  switch (request.choice) {
    case GpuChoice::kOff:
      plan.mode = wire::kModeOff;
      break;
    case GpuChoice::kTrace:
      plan.mode = wire::kModeTrace;
      break;
    case GpuChoice::kAuto:
    case GpuChoice::kPc:
      plan.mode = wire::kModePc;
      break;
  }
  plan.pc_period = request.pc_period;
  // PC sampling that the user asked for has no budget. With a budget it may end early, when the
  // program proves to be limited by its host.
  plan.budget = request.choice == GpuChoice::kPc ? 0 : request.budget;
  return plan;
}

uint32_t ExpectedRate(const wire::SamplingPlan& plan, const Machine& machine) {
  if (plan.nominal_period_ns == 0) return 0;
  const auto rate =
      static_cast<uint32_t>((kPerSecond + plan.nominal_period_ns / 2) / plan.nominal_period_ns);
  if (plan.wall_clock || plan.use_perf) return rate;
  return std::min(rate, machine.kernel_hz);
}

std::string SourceName(const wire::SamplingPlan& plan) {
  if (plan.wall_clock) return "wall-clock";
  return plan.use_perf ? "posix-cpu-timer+perf-task-clock" : "posix-cpu-timer";
}

}  // namespace gprofx
