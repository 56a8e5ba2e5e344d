#include "core/wall/wall_lanes.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

namespace gprofx {
namespace {

constexpr HostNs kSecond = 1'000'000'000;
constexpr ProcessId kRank0{1}, kRank1{2};
constexpr GpuDeviceId kGpu1{1}, kGpu2{2};

int64_t Of(const WallLane& lane, const std::string& name) {
  for (const WallPart& part : lane.parts) {
    if (part.name == name) return part.ns;
  }
  return 0;
}

int64_t SumOf(const WallLane& lane) {
  int64_t sum = 0;
  for (const WallPart& part : lane.parts) sum += part.ns;
  return sum;
}

}  // namespace

TEST_CASE("two ranks on two GPUs: the one that waits shows it, whatever the other does") {
  // Rank 0 computes 2 s and waits 8 s in its collective; rank 1 computes 9 s, then reduces for 1 s.
  WallLanes lanes;
  WallPartition whole;
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCompute, 0, 2 * kSecond);
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCommunication, 2 * kSecond, 10 * kSecond);
  lanes.AddBusy(kRank1, kGpu2, BusyClass::kCompute, 0, 9 * kSecond);
  lanes.AddBusy(kRank1, kGpu2, BusyClass::kCommunication, 9 * kSecond, 10 * kSecond);
  whole.AddBusy(BusyClass::kCompute, 0, 9 * kSecond);
  whole.AddBusy(BusyClass::kCommunication, 2 * kSecond, 10 * kSecond);
  const std::vector<WallLane> rows = lanes.Finish({}, 10 * kSecond);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].process == kRank0);
  CHECK(rows[0].device == kGpu1);
  CHECK(Of(rows[0], "gpu.communication") == 8 * kSecond);
  CHECK(Of(rows[1], "gpu.communication") == 1 * kSecond);
  CHECK(rows[0].hidden_communication_ns == 0);
  // The run as a whole cannot tell: there most of it is hidden.
  whole.Finish(0, 10 * kSecond);
  CHECK(whole.hidden_communication_ns() == 7 * kSecond);
}

TEST_CASE("communication beside computing of the same process and GPU is hidden") {
  WallLanes lanes;
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCompute, 0, 4 * kSecond);
  // Overlapping collectives count once.
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCommunication, 1 * kSecond, 6 * kSecond);
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCommunication, 2 * kSecond, 5 * kSecond);
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCopy, 5 * kSecond, 8 * kSecond);
  lanes.AddBusy(kRank1, kGpu1, BusyClass::kCompute, 0, 8 * kSecond);
  lanes.AddBusy(kRank0, kGpu2, BusyClass::kCompute, 0, 8 * kSecond);
  const std::vector<WallLane> rows = lanes.Finish({}, 8 * kSecond);
  REQUIRE(rows.size() == 3);
  CHECK(Of(rows[0], "gpu.compute") == 4 * kSecond);
  CHECK(Of(rows[0], "gpu.communication") == 2 * kSecond);
  CHECK(Of(rows[0], "gpu.copy") == 2 * kSecond);
  CHECK(rows[0].hidden_communication_ns == 3 * kSecond);
  CHECK(rows[1].device == kGpu2);
  CHECK(rows[2].process == kRank1);
}

TEST_CASE("a lane lasts from its first work to the end of its process") {
  WallLanes lanes;
  // What the process did before is known before its first kernel is.
  lanes.AddSample(kRank0, HostClass::kPython, 1 * kSecond, kSecond);
  lanes.AddWait(kRank0, "cuStreamSynchronize", 1 * kSecond, 4 * kSecond);
  lanes.AddWait(kRank1, "cuStreamSynchronize", 3 * kSecond, 9 * kSecond);
  lanes.AddBusy(kRank0, kGpu1, BusyClass::kCompute, 2 * kSecond, 3 * kSecond);
  lanes.AddQueueFull(kRank0, 4 * kSecond, 5 * kSecond);
  const std::vector<WallLane> rows = lanes.Finish({6 * kSecond}, 10 * kSecond);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].begin == 2 * kSecond);
  CHECK(rows[0].end == 6 * kSecond);
  CHECK(Of(rows[0], "gpu.compute") == kSecond);
  CHECK(Of(rows[0], "idle.sync.cuStreamSynchronize") == kSecond);
  CHECK(Of(rows[0], "idle.queue_full") == kSecond);
  CHECK(Of(rows[0], "idle.unexplained") == kSecond);
  CHECK(Of(rows[0], "idle.python") == 0);
}

TEST_CASE("the parts of every lane are its time, exactly, also of long and disordered runs") {
  std::mt19937 random(7);
  const HostNs end = 300 * kSecond;
  const auto below = [&](HostNs limit) {
    return static_cast<HostNs>(random() % static_cast<uint64_t>(limit));
  };
  WallLanes lanes;
  for (HostNs now = 0; now < end; now += kSecond / 4) {
    for (int i = 0; i < 6; ++i) {
      const ProcessId process{1 + static_cast<uint32_t>(below(3))};
      const HostNs begin = std::max<HostNs>(0, now - below(20 * kSecond));
      const HostNs until = begin + below(2 * kSecond);
      const GpuDeviceId device{static_cast<uint32_t>(below(3))};
      lanes.AddBusy(process, device, static_cast<BusyClass>(below(3)), begin, until);
      lanes.AddWait(process, "cuCtxSynchronize", begin + below(kSecond), until + below(kSecond));
      lanes.AddSample(process, static_cast<HostClass>(below(4)), begin, 1'000'000);
    }
    lanes.Advance(now - 60 * kSecond);
  }
  const std::vector<WallLane> rows = lanes.Finish({end, 0, end / 2}, end);
  CHECK(rows.size() == 9);
  for (const WallLane& row : rows) {
    CHECK(SumOf(row) == row.end - row.begin);
    CHECK(row.hidden_communication_ns > 0);
    CHECK(row.hidden_communication_ns < row.end - row.begin);
  }
}

TEST_CASE("what a hostile target can make of lanes is bounded") {
  WallLanes lanes;
  for (uint32_t i = 0; i < 10'000; ++i) {
    lanes.AddBusy(kRank0, GpuDeviceId{i}, BusyClass::kCompute, i, i + 1);
    lanes.AddBusy(kRank1, GpuDeviceId{i}, BusyClass::kCompute, i + 1, i);
  }
  CHECK(lanes.without_lane() == 10'000 - WallLanes::kMaxLanes);
  CHECK(lanes.Finish({}, kSecond).size() == WallLanes::kMaxLanes);
}

}  // namespace gprofx
