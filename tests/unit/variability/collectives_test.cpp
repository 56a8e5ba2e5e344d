// Collectives as operations of many lanes: all of them, however they lie in time; what another rank
// may not send.
#include <catch2/catch.hpp>

#include "core/variability/collectives.h"
#include "core/variability/statistics/tally.h"
#include "synthetic.h"

using namespace gprofx;
using namespace gprofx::variability;

namespace {

constexpr int64_t kHour = 3'600'000'000'000;

// Each `every` ns all ranks but the last wait 20 us for it; in the middle nothing happens for a
// while.
Recordings Job(int ranks, int count, int64_t every, int64_t pause) {
  Recordings job;
  for (int rank = 0; rank < ranks; ++rank) {
    Recording& recording = job["rank" + std::to_string(rank)];
    recording.facts.rank = rank;
    recording.facts.clock_zero = 1'000;
    const uint32_t gemm = recording.Group("gemm");
    const uint32_t reduce = recording.Group("ncclDevKernel_AllReduce", Kind::kCollective);
    int64_t now = 1'000'000;
    for (int i = 0; i < count; ++i) {
      if (i == count / 2) now += pause;
      const int64_t late = rank + 1 == ranks ? 20'000 : 0;
      recording.Add(gemm, now, 30'000);
      recording.Add(reduce, now + 40'000 + late, 50'000 - late, 2);
      now += every;
    }
  }
  return job;
}

Plan PlanOf(uint32_t lanes) {
  Plan plan;
  plan.begin = 0;
  plan.end = 1'000'000;
  plan.bins = plan.shards = 4;
  plan.most_collectives = 100;
  plan.lanes.resize(lanes);
  plan.groups.resize(3);
  return plan;
}

bool IsRead(const Plan& plan, const CollectiveTally& one) {
  ByteWriter out;
  WriteCollectives({one}, out);
  const std::string bytes = out.Take();
  ByteReader in(bytes);
  std::vector<CollectiveTally> all;
  return ReadCollectives(in, plan, all);
}

}  // namespace

TEST_CASE("no collective is left out because most of the time there are none") {
  for (const int64_t pause : {int64_t{0}, kHour}) {
    const Model model = ModelOf(Job(4, 20'000, 100'000, pause), {Axis::kTime, 10});
    REQUIRE(model.collectives.size() == 1);
    CHECK(model.collectives[0].n > 19'900);
    CHECK(model.late[0].last > 19'900);
    CHECK(model.late[0].is_finding);
  }
}

TEST_CASE("collectives of lanes and groups that are not there are refused") {
  const Plan plan = PlanOf(2);
  CHECK(IsRead(plan, {1, 5, 2, 9, -1, -1}));
  CHECK_FALSE(IsRead(plan, {2, 5, 2, 9, -1, -1}));
  CHECK_FALSE(IsRead(plan, {1, 5, 3, 9, -1, -1}));
}

TEST_CASE("sums of another rank fit the plan or are refused") {
  Plan plan = PlanOf(2);
  plan.lanes[0].steps.resize(5);
  plan.lanes[0].warm_up = 2;
  Matches good;
  good.groups[2].n = 1;
  good.lanes[1].n = 1;
  good.waiting[3] = 7;
  good.waits[{0, 2, 1, -1}] = 7;
  CHECK(good.Fits(plan));
  Matches bad = good;
  bad.groups[3].n = 1;
  CHECK_FALSE(bad.Fits(plan));
  bad = good;
  bad.lanes[0].n = 0;  // took part in nothing
  CHECK_FALSE(bad.Fits(plan));
  bad = good;
  bad.waiting[4] = 1;
  CHECK_FALSE(bad.Fits(plan));
  for (const Matches::Wait wait : {Matches::Wait{0, 3, 1, -1}, Matches::Wait{0, -1, 1, -1},
                                   Matches::Wait{0, 0, 2, -1}, Matches::Wait{0, 0, 0, 3}}) {
    bad = good;
    bad.waits[wait] = 1;
    CHECK_FALSE(bad.Fits(plan));
  }
  Tally tally;
  tally.cells.At({0, 1, 3}).n = 1;
  tally.Settle(plan);
  CHECK(tally.Fits(plan));
  tally.cells.At({0, 1, 4}).n = 1;
  tally.Settle(plan);
  CHECK_FALSE(tally.Fits(plan));
}

TEST_CASE("absurd times are added up all the same") {
  const Plan plan = PlanOf(3);
  constexpr int64_t kFar = int64_t{1} << 61;
  const Matches matches = MatchCollectives(
      plan,
      {{0, -kFar, 0, kFar, -1, -1}, {1, 0, 0, kFar, kFar, 0}, {2, kFar - 1, 0, kFar, kFar, kFar}});
  CHECK(matches.groups.at(0).n == 1);
  CHECK(matches.lanes.at(2).last == 1);
}
