#include "samplers/recorder/sparse_samples.h"

#include <catch2/catch.hpp>

#include "samplers/collector/interrupt_cost.h"
#include "samplers/collector/machine.h"

using gprofx::kMostPeriods;
using gprofx::kMostPeriodsWithGpu;
using gprofx::PeriodsOfSample;
using gprofx::SampleCost;
using gprofx::TakenBySamples;

namespace {

constexpr double kSignal = 3'000;  // of each

SampleCost CostOf(uint64_t handler_ns, double rate, double interrupt_ns) {
  return {1000, 1000 * handler_ns, rate, interrupt_ns};
}

uint32_t PeriodsFor(const SampleCost& cost, double share, uint32_t most = kMostPeriods) {
  return PeriodsOfSample(TakenBySamples(cost), share, most);
}

}  // namespace

TEST_CASE("samples become fewer until they fit in their part of the budget") {
  // 12 us, an interrupt and a signal of 20 us, 997 times a second: 3.2 %.
  CHECK(TakenBySamples(CostOf(12'000, 997, 17'000)) == Approx(997 * (29'000 + kSignal) / 1e9));
  CHECK(PeriodsFor(CostOf(12'000, 997, 17'000), 0.04) == 1);
  CHECK(PeriodsFor(CostOf(12'000, 997, 17'000), 0.02) == 2);
  CHECK(PeriodsFor(CostOf(12'000, 997, 17'000), 0.01) == 4);
}

TEST_CASE("a physical machine keeps all of them") {
  CHECK(PeriodsFor(CostOf(4'000, 997, 2'500), 0.01) == 1);
}

TEST_CASE("no fewer than a fourth, whatever they cost, or an eighth beside launches") {
  CHECK(PeriodsFor(CostOf(400'000, 997, 20'000), 0.01) == 4);
  CHECK(PeriodsFor(CostOf(400'000, 997, 20'000), 0.01, kMostPeriodsWithGpu) == 8);
}

TEST_CASE("the kernel's tick costs next to nothing") {
  CHECK(PeriodsFor(CostOf(12'000, 250, 0), 0.01) == 1);
}

TEST_CASE("no samples say nothing of what they cost") { CHECK(TakenBySamples({}) == 0); }

TEST_CASE("an interrupt of perf's timer is measured where perf events are allowed") {
  const auto measured = gprofx::MeasureInterrupt();
  REQUIRE(measured.has_value() == gprofx::DetectMachine().perf_allowed);
  if (!measured) return;
  CHECK(*measured > 500);  // no interrupt is faster
  CHECK(*measured < 1'000'000);
}
