#include "samplers/collector/drain/drain.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/model/totals.h"
#include "samplers/collector/drain/perf_events.h"
#include "tests/unit/collector/fake_region.h"

namespace gprofx {
namespace {

constexpr HostNs kNow = 1'000'000'000;

struct Bench {
  explicit Bench(bool wall = false) : modules(profile) {
    region.Begin(100, 1, "/bin/prog", std::string("prog\0", 5));
    profile.processes.push_back({100, 1});
    metrics = AddMetrics(profile, wall);
    drain.emplace(profile, modules, metrics, region.View(), ProcessId{1}, wall);
    module = region.AddModule("/lib/libx.so", 0xab);
  }
  bool has_event = true;
  size_t Drain(HostNs now = kNow) {
    return drain->Drain(now, rows, [this](uint32_t slot, uint32_t generation) {
      closed.push_back({slot, generation});
      return has_event;
    });
  }
  int64_t Total(MetricId metric, ThreadId thread = {}) {
    return InclusiveByNode(profile, SelfByNode(profile, metric, thread)).at(0);
  }

  test::FakeRegion region;
  Profile profile;
  ModuleTable modules;
  Metrics metrics;
  std::optional<ProcessDrain> drain;
  std::vector<SampleRow> rows;
  std::vector<std::pair<uint32_t, uint32_t>> closed;  // perf events
  uint32_t module = 0;
};

TEST_CASE("Samples arrive with time, thread, stack and weight") {
  Bench bench;
  bench.region.BeginThread(0, 101, "worker", 500);
  const uint32_t outer = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  const uint32_t inner = bench.region.AddNode(outer, wire::MakeNative(bench.module, 0x20));
  bench.region.Push(0, 7000, inner, 1000, wire::kSampleGilHeld);
  bench.region.Push(0, 8000, outer, 2000, wire::kSampleTruncated);
  CHECK(bench.Drain() == 2);
  REQUIRE(bench.rows.size() == 2);
  CHECK(bench.rows[0].time == 7000);
  CHECK(bench.rows[0].weight == 1000);
  CHECK(bench.rows[0].state == kStateGilHeld);
  CHECK(bench.rows[1].state == kStateTruncated);
  CHECK(bench.profile.node(bench.rows[0].node).parent == bench.rows[1].node);
  CHECK(bench.Total(bench.metrics.time) == 3000);
  CHECK(bench.Total(bench.metrics.samples) == 2);
  const Thread& thread = bench.profile.thread(ThreadId{1});
  CHECK(thread.tid == 101);
  CHECK(thread.cpu_ns == 3000);
  CHECK(thread.lost_ns == 0);
  CHECK(bench.profile.Text(thread.name) == "worker");
  CHECK(bench.drain->accounted_ns() == 3000);
}

TEST_CASE("Accounted and lost time are what the thread's clock measured, through many wraps") {
  Bench bench;
  bench.region.BeginThread(0, 101, "w");
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  uint32_t weight = 1;
  for (int round = 0; round < 5; ++round) {
    // The third round overflows the ring.
    const uint32_t count = round == 2 ? wire::kRingEntries + 500 : wire::kRingEntries - 7;
    for (uint32_t i = 0; i < count; ++i) bench.region.Push(0, 1000, node, weight++ % 1000);
    bench.Drain();
  }
  const Thread& thread = bench.profile.thread(ThreadId{1});
  CHECK(thread.lost_ns > 0);
  CHECK(bench.Total(bench.metrics.time) + thread.lost_ns == thread.cpu_ns);
  CHECK(bench.region.ring(0).tail == bench.region.ring(0).head);
}

TEST_CASE("Weights beyond the clock are taken back from the timeline and from the tree") {
  Bench bench;
  bench.region.BeginThread(0, 101, "w");
  bench.region.BeginThread(1, 102, "other");
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  const uint32_t inner = bench.region.AddNode(node, wire::MakeNative(bench.module, 0x20));
  bench.region.Push(0, 1000, node, 300, wire::kSampleGilHeld);
  bench.region.Push(1, 1100, node, 300, wire::kSampleGilHeld);
  bench.region.Push(0, 1200, inner, 600, wire::kSampleGilHeld);
  bench.region.ring(0).last_cpu_ns -= 90;
  bench.region.EndThread(0, 2000);
  CHECK(bench.Drain() == 3);
  const ThreadId thread{1};
  CHECK(bench.profile.thread(thread).cpu_ns == 810);
  CHECK(bench.Total(bench.metrics.time, thread) == 810);
  CHECK(bench.Total(bench.metrics.gil, thread) == 810);
  REQUIRE(bench.rows.size() == 3);
  CHECK(bench.rows[0].weight + bench.rows[1].weight == 810);
  CHECK(bench.rows[0].weight == 270);  // in proportion
  CHECK(bench.rows[2].weight == 300);
  CHECK(bench.drain->accounted_ns() == 1110);
}

TEST_CASE("A ring that grows with unread samples in it loses nothing and mixes nothing up") {
  std::mt19937_64 random(7);
  int grown = 0;
  for (int run = 0; run < 200; ++run) {
    Bench bench;
    bench.region.BeginThread(0, 101, "w");
    const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
    wire::ThreadRing& ring = bench.region.ring(0);
    ring.head = ring.tail = random() % (3 * wire::kMaxRingEntries);
    uint64_t pushed = 0, kept = 0, read = 0;
    for (int round = 0; round < 6; ++round) {
      const uint64_t wanted = random() % (round == 0 ? wire::kRingEntries : wire::kMaxRingEntries);
      for (uint64_t i = 0; i < wanted; ++i) {
        if (round == 1 && ring.grown == 0 && wire::RingMayGrow(ring.head, ring.tail)) {
          ring.grown = ring.head + 1;
        }
        ++pushed;
        kept += bench.region.Push(0, 1000, node, static_cast<uint32_t>(pushed)) ? pushed : 0;
      }
      if (random() % 2 == 0) bench.Drain();
    }
    bench.Drain();
    for (const SampleRow& row : bench.rows) read += row.weight;
    CHECK(read == kept);
    grown += ring.grown != 0 ? 1 : 0;
  }
  CHECK(grown > 150);  // there may have been no moment for it
}

TEST_CASE("A ring that grew while it was empty loses nothing") {
  Bench bench;
  bench.region.BeginThread(0, 101, "w");
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  for (uint32_t i = 0; i < 3000; ++i) bench.region.Push(0, 1000, node, 1);
  CHECK(bench.Drain() == 3000);
  bench.region.ring(0).grown = 3001;
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < wire::kMaxRingEntries - 10; ++i) bench.region.Push(0, 1000, node, 1);
    CHECK(bench.Drain() == wire::kMaxRingEntries - 10);
  }
  CHECK(bench.profile.thread(ThreadId{1}).lost_ns == 0);
  CHECK(bench.Total(bench.metrics.time) == 3000 + 3 * (wire::kMaxRingEntries - 10));
}

TEST_CASE("A thread's word closes its own perf event, once it is there, and does not end it") {
  using Closed = std::vector<std::pair<uint32_t, uint32_t>>;
  Bench bench;
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  bench.region.BeginThread(1, 101, "a");
  bench.region.BeginThread(2, 102, "b");
  bench.region.ring(1).perf = UINT32_MAX;  // means nothing
  bench.region.ring(2).perf = wire::kPerfUnwanted;
  bench.has_event = false;  // it comes after the word
  bench.Drain();
  CHECK(bench.closed == Closed{{2, 1}});
  CHECK(bench.region.ring(2).perf == wire::kPerfUnwanted);
  bench.has_event = true;
  bench.Drain();
  CHECK(bench.closed == Closed{{2, 1}, {2, 1}});
  CHECK(bench.region.ring(2).perf == wire::kPerfClosed);
  bench.region.ring(2).perf = wire::kPerfHandedOver;
  bench.region.Push(2, 5000, node, 10);
  CHECK(bench.Drain() == 1);
  CHECK(bench.closed.size() == 2);
  CHECK(bench.region.ring(2).state == wire::kThreadActive);
}

TEST_CASE("A slot that is used again is another thread") {
  Bench bench;
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  for (int32_t i = 0; i < 20; ++i) {
    bench.region.BeginThread(3, 200 + i, "t");
    bench.region.Push(3, 5000 + i, node, 10);
    bench.region.EndThread(3, 6000 + i);
    CHECK(bench.Drain() == 1);
    CHECK(bench.region.ring(3).state == wire::kThreadFree);
  }
  REQUIRE(bench.profile.threads.size() == 20);
  CHECK(bench.closed.size() == 20);
  CHECK(bench.closed.back() == std::pair<uint32_t, uint32_t>{3, 20});
  for (uint32_t i = 0; i < 20; ++i) {
    CHECK(bench.profile.threads[i].tid == 200 + i);
    CHECK(bench.profile.threads[i].end == 6000 + i);
    CHECK(bench.Total(bench.metrics.time, ThreadId{i + 1}) == 10);
  }
}

TEST_CASE("A slot that was taken but not filled in is left for later") {
  Bench bench;
  bench.region.BeginThread(0, 0, "");
  CHECK(bench.Drain() == 0);
  CHECK(bench.profile.threads.empty());
  bench.region.ring(0).tid = 7;
  bench.Drain();
  CHECK(bench.profile.threads.size() == 1);
}

TEST_CASE("The name at a thread's end is the one that stays") {
  Bench bench;
  bench.region.BeginThread(0, 9, "early");
  bench.Drain();
  std::strcpy(bench.region.ring(0).name, "late");
  bench.region.EndThread(0, 9000);
  bench.Drain();
  CHECK(bench.profile.Text(bench.profile.threads[0].name) == "late");
}

TEST_CASE("The end of a process ends its threads") {
  Bench bench;
  bench.region.BeginThread(0, 9, "a");
  bench.region.BeginThread(1, 10, "b");
  bench.Drain();
  std::vector<uint32_t> slots;
  bench.drain->Close(8000, bench.rows, [&](uint32_t slot, uint32_t) {
    slots.push_back(slot);
    return true;
  });
  CHECK(slots == std::vector<uint32_t>{0, 1});
  CHECK(bench.profile.threads[1].end == 8000);
}

TEST_CASE("Time by the state of the interpreter's lock is kept per thread that runs Python") {
  Bench bench;
  bench.region.BeginThread(0, 1, "py");
  bench.region.BeginThread(1, 2, "c");
  bench.region.Push(0, 1, 0, 100, wire::kSampleGilHeld);
  bench.region.Push(0, 2, 0, 30, wire::kSampleGilReleased);
  bench.region.Push(0, 3, 0, 7, wire::kSampleNoPython);
  bench.region.Push(1, 4, 0, 1000, wire::kSampleNoPython);
  bench.Drain();
  CHECK(bench.Total(bench.metrics.gil) == 100);
  CHECK(bench.Total(bench.metrics.no_gil) == 30);
  CHECK(bench.Total(bench.metrics.gil, ThreadId{2}) == 0);
}

TEST_CASE("Ring positions, times and indexes that make no sense are bounded") {
  Bench bench;
  bench.region.BeginThread(0, 1, "evil");
  bench.region.ring(0).head = ~uint64_t{0};
  bench.region.ring(0).start_ns = -5;
  bench.region.header().threads_high = ~0u;
  constexpr uint64_t kSample =
      ~uint64_t{wire::kRecordLaunch | wire::kRecordCall | wire::kRecordUnseen};
  for (auto& entry : bench.region.ring(0).entries) entry = {kSample, ~0u, ~0u};
  CHECK(bench.Drain() <= wire::kRingEntries);
  CHECK(bench.drain->overwritten() == 1);
  CHECK(bench.drain->ingest().bad_records() == wire::kRingEntries);
  for (const SampleRow& row : bench.rows) CHECK((row.time >= 0 && row.time <= kNow));
  CHECK(bench.profile.threads[0].start == 0);
  CHECK(bench.Drain() == 0);
}

TEST_CASE("A sample without a stack has a row that says why, whatever that is") {
  Bench bench;
  bench.region.BeginThread(0, 101, "worker");
  for (const uint16_t why : {uint16_t{1}, uint16_t{2}, uint16_t{0}, uint16_t{255}}) {
    bench.region.Push(0, 7000, ~0u, ~0u, static_cast<uint16_t>(wire::kRecordUnseen | why << 8));
    bench.region.Push(0, 7000, 0, 1000);
  }
  CHECK(bench.Drain() == 4);
  std::vector<std::string> names;
  for (const SampleRow& row : bench.rows) {
    const Frame& frame = bench.profile.frame(bench.profile.node(row.node).frame);
    names.emplace_back(
        frame.function ? bench.profile.Text(bench.profile.function(frame.function).name) : "");
  }
  CHECK(names == std::vector<std::string>{"[not sampled: no room on the stack]",
                                          "[not sampled: its system calls are dispatched]", "",
                                          "[not sampled: no tick came]"});
}

TEST_CASE("CUDA calls between the samples are no samples") {
  Bench bench;
  bench.region.BeginThread(0, 101, "worker");
  bench.region.Push(0, 7000, 0, 1000);
  bench.region.Push(0, 7100, 0, 12345, wire::kRecordLaunch);
  bench.region.Push(0, 7200, 0, 99, wire::kRecordCall);
  CHECK(bench.Drain() == 1);
  CHECK(bench.rows.size() == 1);
  CHECK(bench.Total(bench.metrics.time) == 1000);
  CHECK(bench.drain->gpu_entries() == 2);
  CHECK(bench.region.ring(0).tail == 3);
}

TEST_CASE("Clocks that run backwards give no negative time") {
  Bench bench;
  bench.region.BeginThread(0, 1, "x", 5000);
  bench.region.ring(0).last_cpu_ns = 100;
  bench.region.ring(0).dropped_ns = ~uint64_t{0};
  bench.Drain();
  CHECK(bench.profile.threads[0].cpu_ns == 0);
  CHECK(bench.profile.threads[0].lost_ns > 0);
  bench.region.ring(0).start_cpu_ns = INT64_MIN;
  bench.region.ring(0).last_cpu_ns = INT64_MAX;
  bench.Drain();
  CHECK(bench.profile.threads[0].cpu_ns > 0);
}

TEST_CASE("Wall mode gives a sample the time that was collected for it") {
  Bench bench(true);
  bench.region.BeginThread(0, 1, "x");
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(bench.module, 0x10));
  bench.Drain();
  bench.drain->slots()[0].pending_wall_ns = 20'000'000;
  bench.region.Push(0, 5000, node, 123);
  bench.Drain();
  bench.drain->AddTime(0, 6000, 40'000'000, true, bench.rows);
  bench.drain->AddTime(0, 7000, 1'000'000, false, bench.rows);
  CHECK(bench.Total(bench.metrics.time) == 61'000'000);
  CHECK(bench.Total(bench.metrics.idle) == 40'000'000);
  REQUIRE(bench.rows.size() == 3);
  CHECK(bench.rows[1].state == kStateIdle);
  CHECK(bench.profile.frame(bench.profile.node(bench.rows[1].node).frame).kind == FrameKind::kIdle);
  CHECK(bench.profile.node(bench.rows[1].node).parent == bench.rows[0].node);
  CHECK(bench.rows[2].node == bench.rows[0].node);

  // A signal that found it waiting woke it: the time before was one of waiting.
  bench.drain->slots()[0].pending_wall_ns = 5'000'000;
  bench.drain->slots()[0].asked_in = "0x7ffc0 0x7f010";
  bench.region.Push(0, 8000, node, 123, kStateGilReleased | kStateTruncated);
  bench.Drain();
  CHECK(bench.Total(bench.metrics.time) == 66'000'000);
  CHECK(bench.Total(bench.metrics.idle) == 45'000'000);
  REQUIRE(bench.rows.size() == 4);
  CHECK(bench.rows[3].state == (kStateIdle | kStateTruncated));
  CHECK(bench.rows[3].node == bench.rows[1].node);
  // One that had woken up before was sampled somewhere else.
  bench.drain->slots()[0].pending_wall_ns = 5'000'000;
  bench.drain->slots()[0].asked_in = "0x7ffc0 0x7f345";
  bench.region.Push(0, 9000, node, 123, kStateGilReleased);
  bench.Drain();
  CHECK(bench.Total(bench.metrics.idle) == 45'000'000);
  REQUIRE(bench.rows.size() == 5);
  CHECK(bench.rows[4].state == kStateGilReleased);
  CHECK(bench.rows[4].node == bench.rows[0].node);
}

// Weights assume the requested rate, so a thread that is sampled faster for a while must be sampled
// as much slower after it.
TEST_CASE("random sampling rates make up for each other in pairs") {
  std::minstd_rand random(7);
  RatePairs rates;
  std::set<double> firsts;
  for (int i = 0; i < 100; ++i) {
    const double first = rates.Next(random), second = rates.Next(random);
    CHECK(first + second == 2);
    CHECK(std::min(first, second) >= 0.85);
    firsts.insert(first);
  }
  CHECK(firsts.size() == 100);
}

}  // namespace
}  // namespace gprofx
