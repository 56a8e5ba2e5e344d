#include "samplers/recorder/sparse_samples.h"

#include <catch2/catch.hpp>

using gprofx::PeriodsOfSample;
using gprofx::SampleCost;
using gprofx::TakenBySamples;

namespace {

SampleCost CostOf(uint64_t handler_ns, double rate, bool by_perf) {
  return {1000, 1000 * handler_ns, rate, by_perf};
}

uint32_t PeriodsFor(const SampleCost& cost, double share) {
  return PeriodsOfSample(TakenBySamples(cost), share);
}

}  // namespace

TEST_CASE("samples become fewer until they fit in their part of the budget") {
  // 12 us and an interrupt of 20 us, 997 times a second: 3.2 %.
  CHECK(PeriodsFor(CostOf(12'000, 997, true), 0.04) == 1);
  CHECK(PeriodsFor(CostOf(12'000, 997, true), 0.02) == 2);
  CHECK(PeriodsFor(CostOf(12'000, 997, true), 0.01) == 4);
}

TEST_CASE("no fewer than a fourth, whatever they cost") {
  CHECK(PeriodsFor(CostOf(400'000, 997, true), 0.01) == 4);
}

TEST_CASE("the kernel's tick costs next to nothing") {
  CHECK(PeriodsFor(CostOf(12'000, 250, false), 0.01) == 1);
}

TEST_CASE("a few samples say nothing of what they cost") {
  CHECK(PeriodsFor({99, 99 * 400'000, 997, true}, 0.01) == 1);
  CHECK(PeriodsFor({}, 0.01) == 1);
  CHECK(TakenBySamples({99, 99 * 400'000, 997, true}) == 0);
  CHECK(TakenBySamples(CostOf(12'000, 997, true)) == Approx(0.032).margin(0.0002));
}
