#include "samplers/recorder/sparse_samples.h"

#include <catch2/catch.hpp>

using gprofx::PeriodsOfSample;
using gprofx::SampleCost;

namespace {

SampleCost CostOf(uint64_t handler_ns, double rate, bool by_perf) {
  return {1000, 1000 * handler_ns, rate, by_perf};
}

}  // namespace

TEST_CASE("samples become fewer until they fit in their part of the budget") {
  // 12 us and an interrupt of 20 us, 997 times a second: 3.2 %.
  CHECK(PeriodsOfSample(CostOf(12'000, 997, true), 0.04) == 1);
  CHECK(PeriodsOfSample(CostOf(12'000, 997, true), 0.02) == 2);
  CHECK(PeriodsOfSample(CostOf(12'000, 997, true), 0.01) == 4);
}

TEST_CASE("no fewer than a fourth, whatever they cost") {
  CHECK(PeriodsOfSample(CostOf(400'000, 997, true), 0.01) == 4);
}

TEST_CASE("the kernel's tick costs next to nothing") {
  CHECK(PeriodsOfSample(CostOf(12'000, 250, false), 0.01) == 1);
}

TEST_CASE("a few samples say nothing of what they cost") {
  CHECK(PeriodsOfSample({99, 99 * 400'000, 997, true}, 0.01) == 1);
  CHECK(PeriodsOfSample({}, 0.01) == 1);
}
