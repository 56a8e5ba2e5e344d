#include "core/gpu/collective_clock.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000;

// Steps of 100 ms, each with two collectives; `late`: the clock of the rank minus the true time.
std::vector<CollectiveEnd> Rank(unsigned seed, HostNs late, HostNs scatter, int steps = 20) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<HostNs> noise(-scatter, scatter);
  std::vector<CollectiveEnd> ends;
  for (int i = 0; i < steps; ++i) {
    ends.push_back({StringId{1}, i * 100 * kMs + noise(random) + late});
    ends.push_back({StringId{2}, i * 100 * kMs + 30 * kMs + noise(random) + late});
  }
  std::shuffle(ends.begin(), ends.end(), random);
  return ends;
}

}  // namespace

TEST_CASE("the clock of a rank is corrected by the ends of its collectives") {
  for (const HostNs late : {HostNs{0}, 7 * kMs, -250 * kMs, 3'600'000 * kMs}) {
    const ClockCorrection found = CorrectClock(Rank(1, 0, 5'000), Rank(2, late, 5'000));
    CHECK(found.trusted);
    CHECK(found.pairs == 40);
    CHECK(std::abs(found.add + late) < 5'000);
    CHECK(found.spread < 10'000);
  }
}

TEST_CASE("a rank that was killed has fewer of them, an unknown name counts for nothing") {
  std::vector<CollectiveEnd> killed = Rank(2, 9 * kMs, 5'000, 12);
  killed.push_back({StringId{3}, 1});
  const ClockCorrection found = CorrectClock(Rank(1, 0, 5'000), killed);
  CHECK(found.trusted);
  CHECK(found.pairs == 24);
  CHECK(std::abs(found.add + 9 * kMs) < 5'000);
}

TEST_CASE("what does not happen at the same time corrects no clock") {
  CHECK_FALSE(CorrectClock(Rank(1, 0, 0), Rank(2, 0, 40 * kMs)).trusted);  // other groups
  CHECK_FALSE(CorrectClock(Rank(1, 0, 0, 3), Rank(2, 5, 0, 3)).trusted);   // too few
  CHECK_FALSE(CorrectClock({}, Rank(2, 0, 0)).trusted);
  const std::vector<CollectiveEnd> absurd(20, {StringId{1}, INT64_MAX});
  const std::vector<CollectiveEnd> opposite(20, {StringId{1}, INT64_MIN});
  CHECK(CorrectClock(absurd, opposite).add == INT64_MAX);  // no overflow
}

TEST_CASE("collectives are told from other kernels by name") {
  CHECK(IsCollective("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"));
  CHECK(IsCollective("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)"));
  CHECK_FALSE(IsCollective("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"));
  CHECK_FALSE(IsCollective("void gemm<float>(float*)"));
}

}  // namespace gprofx
