#include "samplers/collector/drain/plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace gprofx {
namespace {

wire::SamplingPlan Plan(uint32_t rate, uint32_t hz, bool perf) {
  PlanRequest request;
  request.rate = rate;
  return MakePlan(request, Machine{hz, perf});
}

// Samples of user code per second.
double RateOf(const wire::SamplingPlan& plan, uint32_t hz, uint32_t rate) {
  if (plan.use_perf == 0) return std::min<double>(rate, hz);
  return 1e9 / static_cast<double>(plan.perf_period_ns) + (rate >= 3 * hz ? hz : 0);
}

TEST_CASE("Perf serves alone up to three times the tick rate, with the ticks' help above") {
  for (const uint32_t hz : {100u, 250u, 300u, 1000u}) {
    for (const uint32_t rate : {1u, 99u, 250u, 997u, 4000u, 20000u}) {
      const auto plan = Plan(rate, hz, true);
      CHECK(plan.use_perf == 1);
      CHECK(plan.tick_ns == 1'000'000'000 / hz);
      // Never more often than asked: at 1 Hz, ticks would otherwise come to see the kernel's time.
      CHECK(plan.posix_period_ns >= 1'000'000'000 / rate * 3 / 4);
      if (rate >= hz) CHECK(plan.posix_period_ns < plan.tick_ns);
      CHECK(RateOf(plan, hz, rate) == Approx(rate).epsilon(1e-3));
      CHECK(ExpectedRate(plan, Machine{hz, true}) == rate);
    }
  }
}

TEST_CASE("Without perf the POSIX timer serves up to the tick rate") {
  for (const uint32_t rate : {1u, 99u, 249u}) {
    const auto plan = Plan(rate, 250, false);
    CHECK(plan.use_perf == 0);
    CHECK(plan.posix_period_ns == 1'000'000'000 / rate);
    CHECK(ExpectedRate(plan, Machine{250, false}) == rate);
  }
}

TEST_CASE("Without perf the kernel's tick is the limit, and the plan says so") {
  const auto plan = Plan(997, 250, false);
  CHECK(plan.use_perf == 0);
  CHECK(plan.nominal_period_ns == 1'000'000'000 / 997);
  CHECK(ExpectedRate(plan, Machine{250, false}) == 250);
  CHECK(SourceName(plan) == "posix-cpu-timer");
}

TEST_CASE("By the wall clock threads that run have a timer of that rate") {
  PlanRequest request;
  request.wall_clock = true;
  request.rate = 50;
  const auto plan = MakePlan(request, Machine{250, true});
  CHECK(plan.wall_clock == 1);
  CHECK(plan.use_perf == 0);
  CHECK(plan.posix_period_ns == plan.nominal_period_ns);  // for threads that run
  CHECK(plan.nominal_period_ns == 20'000'000);
  CHECK(SourceName(plan) == "wall-clock");
}

TEST_CASE("No rate makes a period of zero") {
  for (const uint32_t rate : {0u, 1u, 20000u, 4294967295u}) {
    for (const uint32_t hz : {0u, 1u, 250u}) {
      for (const bool perf : {false, true}) {
        const auto plan = Plan(rate, hz, perf);
        CHECK(plan.posix_period_ns > 0);
        CHECK(plan.nominal_period_ns > 0);
        if (plan.use_perf) CHECK(plan.perf_period_ns > 0);
      }
    }
  }
}

TEST_CASE("The tick rate comes from the clock's resolution") {
  CHECK(HzFromTick(4'000'000) == 250);
  CHECK(HzFromTick(1'000'000) == 1000);
  CHECK(HzFromTick(999'848) == 1000);
  CHECK(HzFromTick(3'333'333) == 300);
  CHECK(HzFromTick(10'000'000) == 100);
  CHECK(HzFromTick(1) == 250);
  CHECK(HzFromTick(0) == 250);
}

TEST_CASE("Kernel versions are read from release names") {
  CHECK(KernelNumber("6.1.0-18-amd64") == 601);
  CHECK(KernelNumber("5.13.19") == 513);
  CHECK(KernelNumber("6.18.44-fc") == 618);
  CHECK(KernelNumber("10.0") == 1000);
  CHECK(KernelNumber("5.999") == 599);
  for (const char* bad : {"", "6", "6.", "x.y", "-1.2", "99999999999.1"})
    CHECK(KernelNumber(bad) == 0);
}

TEST_CASE("This machine has a tick") {
  const Machine machine = DetectMachine();
  CHECK(machine.kernel_hz >= 50);
  CHECK(machine.kernel_hz <= 2000);
}

}  // namespace
}  // namespace gprofx
