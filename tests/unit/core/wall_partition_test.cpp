#include "core/wall/wall_partition.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>

#include "core/gpu/idle_share.h"
#include "core/gpu/level_windows.h"

namespace gprofx {
namespace {

constexpr HostNs kHeldBack = 60'000'000'000;

constexpr HostNs kSecond = 1'000'000'000;

using Parts = std::map<std::string, int64_t>;

Parts ByName(const std::vector<WallPart>& list) {
  Parts parts;
  for (const WallPart& part : list) {
    CHECK(part.ns > 0);
    CHECK(parts.emplace(part.name, part.ns).second);
  }
  return parts;
}

int64_t SumOf(const std::vector<WallPart>& list) {
  int64_t sum = 0;
  for (const WallPart& part : list) sum += part.ns;
  return sum;
}

struct Event {
  HostNs begin = 0;
  std::function<void(WallPartition&)> add;
};

// Events of all kinds within [0, end), a few of them long.
std::vector<Event> RandomEvents(std::mt19937& random, HostNs end, int count) {
  const std::string calls[] = {"cuStreamSynchronize", "cuCtxSynchronize", "cuMemcpyDtoH_v2",
                               kNoRecords};
  std::vector<Event> events;
  const auto below = [&](HostNs limit) {
    return static_cast<HostNs>(random() % static_cast<uint64_t>(limit));
  };
  for (int i = 0; i < count; ++i) {
    const HostNs begin = below(end);
    const HostNs until = std::min(end, begin + below(i % 10 == 0 ? end / 8 : end / count));
    const auto kind = static_cast<int>(random() % 6);
    if (kind < 3) {
      events.push_back({begin, [=](WallPartition& wall) {
                          wall.AddBusy(static_cast<BusyClass>(kind), begin, until);
                        }});
    } else if (kind == 3) {
      const std::string call = calls[random() % 4];
      events.push_back({begin, [=](WallPartition& wall) { wall.AddWait(call, begin, until); }});
    } else if (kind == 4) {
      events.push_back({begin, [=](WallPartition& wall) { wall.AddQueueFull(begin, until); }});
    }
    for (int k = 0; k < 5; ++k) {
      const auto what = static_cast<HostClass>(random() % 4);
      const HostNs time = below(end), weight = below(end / count);
      events.push_back({time, [=](WallPartition& wall) { wall.AddSample(what, time, weight); }});
    }
  }
  return events;
}

std::vector<WallPart> Run(const std::vector<Event>& events, HostNs begin, HostNs end) {
  WallPartition wall;
  for (const Event& event : events) event.add(wall);
  return wall.Finish(begin, end);
}

TEST_CASE("the parts of any run come to its duration, whatever the order of its events") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const HostNs end = 1 + static_cast<HostNs>(random() % (20 * kSecond));
    std::vector<Event> events = RandomEvents(random, end, 1 + round % 60);
    const std::vector<WallPart> parts = Run(events, 0, end);
    REQUIRE(SumOf(parts) == end);
    std::shuffle(events.begin(), events.end(), random);
    REQUIRE(Run(events, 0, end) == parts);
    // A run that is only a part of the events.
    const HostNs from = end / 3 - 1, to = end - end / 4;
    REQUIRE(SumOf(Run(events, from, to)) == std::max<HostNs>(0, to - from));
  }
}

TEST_CASE("working off at any moments changes nothing") {
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    const HostNs end = 300 * kSecond;
    std::vector<Event> events = RandomEvents(random, end, 100);
    const std::vector<WallPart> at_once = Run(events, 0, end);
    std::sort(events.begin(), events.end(),
              [](const Event& a, const Event& b) { return a.begin < b.begin; });
    // Out of order within the time that events are held back.
    for (size_t i = 0; i + 10 < events.size(); i += 10) {
      if (events[i + 9].begin - events[i].begin < kHeldBack) {
        std::shuffle(events.begin() + static_cast<std::ptrdiff_t>(i),
                     events.begin() + static_cast<std::ptrdiff_t>(i) + 10, random);
      }
    }
    WallPartition wall;
    HostNs now = 0;
    for (const Event& event : events) {
      now = std::max(now, event.begin);
      event.add(wall);
      if (random() % 3 == 0) wall.Advance(now - kHeldBack);
    }
    REQUIRE(wall.Finish(0, end) == at_once);
    REQUIRE(wall.late_ns() == 0);
  }
}

TEST_CASE("overlaps count once: compute, communication, copy, waits by name, full queue") {
  WallPartition wall;
  wall.AddQueueFull(0, 100);
  wall.AddWait("cuStreamSynchronize", 0, 90);
  wall.AddWait("cuCtxSynchronize", 10, 80);
  wall.AddBusy(BusyClass::kCopy, 20, 70);
  wall.AddBusy(BusyClass::kCommunication, 30, 60);
  wall.AddBusy(BusyClass::kCompute, 40, 50);
  wall.AddBusy(BusyClass::kCompute, 45, 55);  // of another device
  wall.AddBusy(BusyClass::kCompute, 55, 55);
  wall.AddBusy(BusyClass::kCompute, 200, 100);
  CHECK(ByName(wall.Finish(-5, 110)) == Parts{{"gpu.compute", 15},
                                              {"gpu.communication", 15},
                                              {"gpu.copy", 20},
                                              {"idle.sync.cuCtxSynchronize", 20},
                                              {"idle.sync.cuStreamSynchronize", 20},
                                              {"idle.queue_full", 10},
                                              {"idle.unexplained", 15}});
}

TEST_CASE("what is not busy in time without records is nothing else") {
  WallPartition wall;
  wall.AddWait("aWait", 0, 100);
  wall.AddQueueFull(0, 100);
  wall.AddWait(kNoRecords, 20, 60);
  wall.AddBusy(BusyClass::kCompute, 50, 70);
  CHECK(ByName(wall.Finish(0, 100)) == Parts{{"gpu.compute", 20},
                                             {"idle.sync.aWait", 50},
                                             {std::string("idle.sync.") + kNoRecords, 30}});
}

TEST_CASE("windows with records say how well the whole is known") {
  const auto run = [](bool is_seen) {
    WallPartition wall;
    for (int i = 0; i < 12; ++i) {
      const HostNs begin = i * kShareWindow;
      if (!is_seen) wall.AddWait(kNoRecords, begin + kShareWindow / 2, begin + kShareWindow);
      wall.AddBusy(BusyClass::kCompute, begin, begin + (1 + i % 2) * kSecond);
    }
    return wall.Finish(0, 12 * kShareWindow);
  };
  for (const WallPart& part : run(true)) CHECK(part.margin_ns == 0);
  const std::vector<WallPart> parts = run(false);
  REQUIRE(parts.size() == 3);
  // Of 2.5 s in each window 1 or 2 s were busy, half of all time was seen: the standard error of
  // the share is sqrt(0.5 * 12 / 11 * 12 * 0.5^2 / 30^2), times 2.2 with 11 degrees of freedom.
  CHECK(parts[0].name == "gpu.compute");
  CHECK(parts[0].margin_ns / 1e9 == Approx(30 * 2.201 * 0.04264).epsilon(0.001));
  CHECK(parts[1].margin_ns == 0);  // without records
  CHECK(parts[2].margin_ns == parts[0].margin_ns);
}

TEST_CASE("samples explain what is idle, and no more than there is") {
  WallPartition wall;
  wall.AddBusy(BusyClass::kCompute, 0, 600);
  wall.AddSample(HostClass::kPython, 300, 1000);  // the GPU was busy
  wall.AddSample(HostClass::kPython, 600, 100);
  wall.AddSample(HostClass::kNative, 999, 50);
  wall.AddSample(HostClass::kNative, 1000, 50);  // behind the end
  wall.AddSample(HostClass::kCudaCall, 700, -5);
  CHECK(ByName(wall.Finish(0, 1000)) == Parts{{"gpu.compute", 600},
                                              {"idle.python", 100},
                                              {"idle.native", 50},
                                              {"idle.unexplained", 250}});
  WallPartition full;
  full.AddBusy(BusyClass::kCompute, 0, 900);
  full.AddSample(HostClass::kPython, 950, 200);
  full.AddSample(HostClass::kDataLoading, 960, 200);
  full.AddSample(HostClass::kCudaCall, 970, 200);
  CHECK(ByName(full.Finish(0, 1000)) == Parts{{"gpu.compute", 900},
                                              {"idle.python", 34},
                                              {"idle.data_loading", 33},
                                              {"idle.cuda_call", 33}});
}

TEST_CASE("looks at threads off the CPU explain what samples leave, as much as so many can") {
  constexpr HostNs kMs = 1'000'000;
  WallPartition wall;
  wall.AddBusy(BusyClass::kCompute, 0, 1000 * kMs);
  wall.AddSample(HostClass::kPython, 1500 * kMs, 300 * kMs);
  for (int i = 0; i < 16; ++i) wall.AddLook(HostClass::kBlocked, (1200 + i) * kMs);
  wall.AddLook(HostClass::kBlocked, 500 * kMs);  // the GPU was busy
  // 16 looks, and twice the root of it: 24 * 50 ms.
  CHECK(ByName(wall.Finish(0, 3000 * kMs)) == Parts{{"gpu.compute", 1000 * kMs},
                                                    {"idle.python", 300 * kMs},
                                                    {"idle.blocked", 1200 * kMs},
                                                    {"idle.unexplained", 500 * kMs}});
  WallPartition full;
  full.AddSample(HostClass::kPython, 10 * kMs, 200 * kMs);
  for (int i = 0; i < 10; ++i)
    full.AddLook(i < 4 ? HostClass::kDataLoading : HostClass::kBlocked, (20 + i) * kMs);
  CHECK(ByName(full.Finish(0, 500 * kMs)) == Parts{{"idle.python", 200 * kMs},
                                                   {"idle.data_loading", 120 * kMs},
                                                   {"idle.blocked", 180 * kMs}});
}

TEST_CASE("samples of one window do not explain the idle time of another") {
  WallPartition wall;
  wall.AddSample(HostClass::kPython, 1, 100 * kSecond);
  CHECK(ByName(wall.Finish(0, 20 * kSecond)) ==
        Parts{{"idle.python", kShareWindow}, {"idle.unexplained", 15 * kSecond}});
}

TEST_CASE("scaling keeps proportions and hits the limit exactly") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 10000; ++round) {
    HostShares weights{};
    __int128 total = 0;
    for (int64_t& weight : weights) {
      weight = static_cast<int64_t>(random() >> (1 + random() % 62));
      total += weight;
    }
    const auto limit = static_cast<int64_t>(random() >> (1 + random() % 62));
    const HostShares scaled = ScaleToLimit(weights, limit);
    __int128 sum = 0;
    for (size_t i = 0; i < kHostClasses; ++i) {
      REQUIRE(scaled[i] >= 0);
      sum += scaled[i];
      if (total <= limit) continue;
      const __int128 exact = static_cast<__int128>(weights[i]) * limit / total;
      REQUIRE((scaled[i] >= exact && scaled[i] <= exact + 1));
    }
    REQUIRE(sum == std::min<__int128>(total, limit));
  }
}

TEST_CASE("late events are counted and change nothing") {
  WallPartition wall;
  wall.AddBusy(BusyClass::kCompute, 0, 10 * kSecond);
  wall.Advance(40 * kSecond);
  wall.AddBusy(BusyClass::kCompute, 12 * kSecond, 13 * kSecond);
  CHECK(wall.late_ns() == kSecond);
  wall.AddSample(HostClass::kPython, 20 * kSecond, 7);
  CHECK(wall.late_ns() == kSecond + 7);
  wall.AddWait("cuStreamSynchronize", 39 * kSecond, 50 * kSecond);  // one second of it is late
  CHECK(wall.late_ns() == 2 * kSecond + 7);
  wall.Advance(-50 * kSecond);  // a step back is none
  CHECK(ByName(wall.Finish(0, 100 * kSecond)) ==
        Parts{{"gpu.compute", 10 * kSecond},
              {"idle.sync.cuStreamSynchronize", 10 * kSecond},
              {"idle.unexplained", 80 * kSecond}});
}

TEST_CASE("absurd times neither overflow nor last") {
  WallPartition wall;
  wall.AddBusy(BusyClass::kCompute, INT64_MIN, INT64_MAX);
  wall.AddSample(HostClass::kPython, INT64_MIN, INT64_MAX);
  wall.AddSample(HostClass::kPython, INT64_MAX, INT64_MAX);
  wall.AddWait("", INT64_MIN, 0);
  wall.Advance(INT64_MAX);
  wall.Advance(INT64_MIN);
  wall.AddSample(HostClass::kNative, 0, INT64_MAX);
  wall.AddSample(HostClass::kNative, 0, INT64_MAX);
  CHECK(wall.late_ns() == INT64_MAX);
  CHECK(SumOf(wall.Finish(0, 100)) == 100);
  CHECK(WallPartition().Finish(5, 5).empty());
  CHECK(ByName(WallPartition().Finish(0, 7)) == Parts{{"idle.unexplained", 7}});
}

}  // namespace
}  // namespace gprofx
