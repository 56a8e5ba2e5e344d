// The ranks of a run, compared.
#include "core/views/ranks.h"

#include <catch2/catch.hpp>

#include "core/gpu/gpu.h"
#include "core/gpu/level_windows.h"
#include "core/model/merge.h"
#include "core/views/gpu/idle_causes.h"
#include "core/views/group.h"
#include "core/views/recording.h"
#include "core/views/view.h"
#include "core/views/wall.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Work {
  int64_t gemm, all_reduce, cpu;  // ms
};

FrameId FrameOf(Profile& profile, FrameKind kind, const char* name) {
  return profile.Intern(
      Frame{.kind = kind, .function = profile.Intern(Function{.name = profile.Intern(name)})});
}

void AddProcess(Profile& profile, int64_t pid, const Work& work, const char* name = "train.py") {
  profile.processes.push_back({.pid = pid, .name = profile.Intern(name)});
  const ProcessId process{static_cast<uint32_t>(profile.processes.size())};
  profile.threads.push_back({.process = process, .tid = pid});
  const ThreadId thread{static_cast<uint32_t>(profile.threads.size())};
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  const NodeId step = profile.Child(profile.root(), FrameOf(profile, FrameKind::kPython, "step"));
  const NodeId gemm = profile.Child(step, FrameOf(profile, FrameKind::kGpuKernel, "gemm"));
  const NodeId reduce = profile.Child(
      step, FrameOf(profile, FrameKind::kGpuKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  profile.AddSelf(step, thread, cpu, work.cpu * kMs);
  if (work.gemm != 0) profile.AddSelf(gemm, thread, gpu, work.gemm * kMs);
  if (work.all_reduce != 0) profile.AddSelf(reduce, thread, gpu, work.all_reduce * kMs);
}

Profile RankFile(int rank, const Work& work) {
  Profile profile;
  profile.meta = {{"clock", "cpu"},
                  {"host", "node" + std::to_string(rank / 2)},
                  {"rank", std::to_string(rank)},
                  {"start_realtime_ns", std::to_string(1'700'000'000'000'000'000 + rank)}};
  AddProcess(profile, 100 + rank, work);
  return profile;
}

Profile Merged(const std::vector<Work>& ranks) {
  Profile all;
  for (size_t i = 0; i < ranks.size(); ++i) {
    REQUIRE(Merge(all, RankFile(static_cast<int>(i), ranks[i]), {.clock_offset = 0}));
  }
  return all;
}

int64_t Fact(const Ranks& ranks, size_t rank, RankFact fact) {
  return ranks.ranks[rank].facts[static_cast<size_t>(fact)];
}

}  // namespace

TEST_CASE("the slowest rank is the one that the others wait for in their collectives") {
  // Rank 2 computes longest and waits least; all of them have the same GPU time.
  const Profile profile = Merged({{50, 50, 10}, {52, 48, 10}, {90, 10, 10}, {51, 49, 10}});
  const std::optional<Ranks> ranks = FindRanks(profile);
  REQUIRE(ranks);
  REQUIRE(ranks->ranks.size() == 4);
  CHECK(ranks->slowest == 2u);
  CHECK(ranks->slowest_by == RankFact::kCommunication);
  CHECK(ranks->ranks[2].name == "rank 2");
  CHECK(ranks->ranks[2].host == "node1");
  CHECK(Fact(*ranks, 2, RankFact::kGpu) == 100 * kMs);
  CHECK(Fact(*ranks, 2, RankFact::kCommunication) == 10 * kMs);
  const Spread& spread = ranks->facts[static_cast<size_t>(RankFact::kCommunication)];
  CHECK(spread.least == 10 * kMs);
  CHECK(spread.most == 50 * kMs);
  CHECK(spread.mean == 157 * kMs / 4);
  CHECK(spread.most_in == 0);
}

TEST_CASE("without communication GPU time decides, then CPU time; equal ranks have no slowest") {
  CHECK(FindRanks(Merged({{50, 0, 90}, {70, 0, 10}}))->slowest == 1u);
  CHECK(FindRanks(Merged({{0, 0, 90}, {0, 0, 10}}))->slowest == 0u);
  CHECK_FALSE(FindRanks(Merged({{50, 20, 10}, {50, 20, 10}}))->slowest);
  // One that has no collective is no rank of that run.
  CHECK(FindRanks(Merged({{50, 20, 10}, {90, 0, 10}}))->slowest_by == RankFact::kGpu);
}

TEST_CASE("of one recording, processes that use a GPU are the ranks") {
  Profile profile;
  profile.meta = {{"clock", "cpu"}};
  AddProcess(profile, 7, {50, 20, 10});
  AddProcess(profile, 8, {0, 0, 500});  // a loader of data
  CHECK_FALSE(FindRanks(profile));
  AddProcess(profile, 9, {60, 10, 10});
  const std::optional<Ranks> ranks = FindRanks(profile);
  REQUIRE(ranks);
  REQUIRE(ranks->ranks.size() == 2);
  CHECK(ranks->ranks[0].name == "train.py (7)");
  CHECK(ranks->ranks[1].name == "train.py (9)");
  CHECK(ranks->of_thread == std::vector<uint32_t>{0, Ranks::kNone, 1});
  CHECK(ranks->slowest == 1u);
}

TEST_CASE("a process that a launcher called a rank has its number") {
  const auto split = [](std::string_view name) {
    const RankedName ranked = SplitRank(name);
    return std::string(ranked.program) + "|" + std::to_string(ranked.rank);
  };
  CHECK(split("train.py rank 3") == "train.py|3");
  CHECK(split("train.py rank 11 local 3") == "train.py|11");
  CHECK(split("train.py") == "train.py|-1");
  CHECK(split("train.py rank") == "train.py rank|-1");
  CHECK(split("frank 3") == "frank 3|-1");
  CHECK(split(" rank 3") == " rank 3|-1");
  CHECK(split("a rank 99999999999") == "a rank 99999999999|-1");
  CHECK(split("a local 3") == "a local 3|-1");
  CHECK(split("") == "|-1");
}

TEST_CASE("ranks of one recording stand in their order, under their names, also by GPU") {
  Profile profile;
  AddProcess(profile, 7, {100, 1, 0}, "train.py rank 1 local 1");
  AddProcess(profile, 9, {100, 1, 0}, "train.py rank 0 local 0");
  const std::optional<Ranks> ranks = FindRanks(profile);
  REQUIRE(ranks);
  CHECK(ranks->ranks[0].name == "rank 0");
  CHECK(ranks->ranks[1].name == "rank 1");
  CHECK(ranks->of_thread == std::vector<uint32_t>{1, 0});
  for (const uint32_t process : {1, 2}) {
    profile.gpu.devices.emplace_back();
    profile.gpu.lanes.push_back(
        {ProcessId{process}, GpuDeviceId{process}, 0, 100, 0, {{"gpu.compute", 100}}});
  }
  const std::vector<LaneShares> lanes = ShareLanes(profile);
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0].process == "train.py");
  CHECK(lanes[0].rank == 1);
  CHECK(lanes[1].rank == 0);
}

TEST_CASE("the ranks of merged recordings stand in their lanes") {
  Profile all;
  for (int rank = 0; rank < 2; ++rank) {
    Profile one = RankFile(rank, {100, 10, 1});
    one.gpu.devices.emplace_back().uuid = one.Intern("GPU-" + std::to_string(rank));
    one.gpu.lanes.push_back({ProcessId{1}, GpuDeviceId{1}, 0, 100, 0, {{"gpu.compute", 100}}});
    CHECK(RankOf(one, ProcessId{1}) == -1);  // alone it is told in the head
    REQUIRE(Merge(all, one, {.clock_offset = 0}));
  }
  const std::vector<LaneShares> lanes = ShareLanes(all);
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0].rank == 0);
  CHECK(lanes[1].rank == 1);
}

TEST_CASE("of each cause of idle time the rank is named that is furthest from the median") {
  // Percents of Python and data loading; the third loads, the fourth has records of a tenth only.
  Profile all;
  const int64_t kParts[][3] = {{10, 20, 0}, {12, 20, 0}, {11, 60, 0}, {1, 2, 900}};
  for (int rank = 0; rank < 4; ++rank) {
    const auto& [python, loading, unseen] = kParts[rank];
    const int64_t seen = 100 - unseen / 10;
    Profile one = RankFile(rank, {100, 10, 1});
    one.gpu.devices.emplace_back().uuid = one.Intern("GPU-" + std::to_string(rank));
    one.gpu.lanes.push_back({ProcessId{1},
                             GpuDeviceId{1},
                             0,
                             100,
                             0,
                             {{"gpu.compute", seen - python - loading},
                              {"idle.python", python},
                              {"idle.data_loading", loading},
                              {std::string("idle.sync.") + kNoRecords, unseen}}});
    REQUIRE(Merge(all, one, {.clock_offset = 0}));
  }
  const std::vector<LaneShares> lanes = ShareLanes(all);
  const std::vector<IdleCauseRow> rows = CompareIdleCauses(lanes);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].what == "data loading");
  CHECK(rows[0].tenths == std::vector<int>{200, 200, 600, 200});
  CHECK(rows[0].least == 200);
  CHECK(rows[0].median == 200);
  CHECK(rows[0].most == 600);
  REQUIRE(rows[0].most_off);
  CHECK(lanes[*rows[0].most_off].rank == 2);
  CHECK(rows[1].what == "waiting for Python");
  CHECK(rows[1].median == 105);
  CHECK(lanes[*rows[1].most_off].rank == 1);
  CHECK(CompareIdleCauses({lanes[0]}).empty());
  CHECK_FALSE(CompareIdleCauses({lanes[0], lanes[0]})[0].most_off);
}

TEST_CASE("repetitions are runs, not ranks") {
  Profile all;
  for (int i = 0; i < 3; ++i) {
    Profile run = RankFile(0, {50, 0, 10 + i});
    run.meta["start_realtime_ns"] = std::to_string(1'700'000'000'000'000'000 + i);
    run.meta["duration_ns"] = "5000";
    REQUIRE(Merge(all, run, {.clock_offset = i == 2 ? 90'000 : i * 4'000}));
  }
  // The first two overlap; between them and the third one nothing ran.
  CHECK(DescribeRecording(all).duration_ns == 9'000 + 5'000);
  CHECK(GroupingOf({.kind = ViewKind::kRanks}) == By::kFunction);
  const std::optional<Ranks> ranks = FindRanks(all);
  REQUIRE(ranks);
  CHECK(ranks->ranks[2].name == "run 3");
  CHECK(ranks->ranks[2].host.empty());
}

TEST_CASE("rows by rank add up to the row, in every metric and with filters") {
  const Profile profile = Merged({{50, 50, 10}, {52, 48, 20}, {90, 10, 30}});
  for (const char* metric : {"cpu", "gpu"}) {
    for (const char* ignore : {"", "nccl"}) {
      const Result<View> view = BuildView(
          profile, {.kind = ViewKind::kRanks, .metric = metric, .ignore = ignore}, {.rows = 2});
      REQUIRE(view);
      REQUIRE(view->rows->by_rank.size() == view->rows->shown);
      for (size_t i = 0; i < view->rows->shown; ++i) {
        int64_t sum = 0;
        for (const int64_t value : view->rows->by_rank[i]) sum += value;
        CHECK(sum == view->rows->rows[i].self);
      }
    }
  }
  const Profile one = RankFile(0, {50, 50, 10});
  CHECK_FALSE(BuildView(one, {.kind = ViewKind::kRanks}));
}

}  // namespace gprofx::testing
