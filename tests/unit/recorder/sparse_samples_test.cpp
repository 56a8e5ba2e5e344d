#include "samplers/recorder/sparse_samples.h"

#include <catch2/catch.hpp>

#include "samplers/collector/drain/interrupt_cost.h"

using gprofx::recorder::kMaxPeriods;
using gprofx::recorder::kMaxPeriodsOfFew;
using gprofx::recorder::NextPeriods;
using gprofx::recorder::SampleCost;
using gprofx::recorder::TakenBySamples;

namespace {

SampleCost CostOf(uint64_t handler_ns, double rate, double outside_ns) {
  return {1000, 1000 * handler_ns, rate, outside_ns};
}

uint32_t PeriodsFor(const SampleCost& cost, double share, uint32_t most = kMaxPeriods) {
  return NextPeriods(1, TakenBySamples(cost), share, most);
}

}  // namespace

TEST_CASE("samples become fewer until they fit in their part of the budget") {
  // 12 us, an interrupt and a signal of 20 us, 997 times a second: 3.2 %.
  CHECK(TakenBySamples(CostOf(12'000, 997, 20'000)) == Approx(0.032).margin(0.0002));
  CHECK(PeriodsFor(CostOf(12'000, 997, 20'000), 0.04) == 1);
  CHECK(PeriodsFor(CostOf(12'000, 997, 20'000), 0.02) == 2);
  CHECK(PeriodsFor(CostOf(12'000, 997, 20'000), 0.01) == 4);
}

TEST_CASE("where a sample takes a few microseconds all of them stay") {
  CHECK(PeriodsFor(CostOf(4'000, 997, 5'500), 0.01) == 1);
  CHECK(PeriodsFor(CostOf(7'000, 250, 3'000), 0.01) == 1);  // by the kernel's tick alone
}

TEST_CASE("no fewer than a half, whatever they cost, or an eighth of many") {
  CHECK(PeriodsFor(CostOf(400'000, 997, 23'000), 0.01, kMaxPeriodsOfFew) == 2);
  CHECK(PeriodsFor(CostOf(400'000, 997, 23'000), 0.01) == 8);
}

TEST_CASE("samples that take clearly less come more often again") {
  CHECK(NextPeriods(4, 0.019, 0.01, 8) == 4);  // two would do, just
  CHECK(NextPeriods(4, 0.013, 0.01, 8) == 2);
  CHECK(NextPeriods(4, 0.001, 0.01, 8) == 1);
}

TEST_CASE("no samples say nothing of what they cost") { CHECK(TakenBySamples({}) == 0); }

TEST_CASE("an interrupt of perf's timer takes what an interrupt may take") {
  const auto measured = gprofx::MeasureInterrupt();
  if (!measured) return;  // perf events are refused, or the machine is too busy
  CHECK(*measured > 500);
  CHECK(*measured < 1'000'000);
}
