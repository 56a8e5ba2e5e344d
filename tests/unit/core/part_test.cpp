#include "core/gpu/graph_captures.h"
#include "core/slice/part_builder.h"

#include <map>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>
#include "core/slice/choose_part.h"
#include "core/wall/timeline_bins.h"

namespace gprofx {
namespace {

constexpr HostNs kEnd = 20'000'000'000;

struct Run {
  Profile profile;
  PartEvents events;
  std::vector<SampleRow> samples;
};

FrameId FrameOf(Profile& profile, FrameKind kind, const char* name) {
  Function function;
  function.name = profile.Intern(name);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  return profile.Intern(frame);
}

Run RandomRun(uint32_t seed) {
  Run run;
  Profile& p = run.profile;
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  p.processes.push_back({1, 0, p.Intern("a"), {}});
  for (int64_t tid : {1, 2, 3}) p.threads.push_back({ProcessId{1}, tid, p.Intern("t")});
  p.gpu.devices.emplace_back();
  p.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  p.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  for (const char* metric :
       {"cpu", "samples", "cpu_gil", "cpu_nogil", kMetricGpu, kMetricGpuOps, kMetricGpuWait,
        kMetricPcSamples, kMetricGpuBytes, kMetricGpuOverlapped}) {
    p.AddMetric(metric, "ns", MetricKind::kExact);
  }
  const NodeId stack = p.Child(p.root(), FrameOf(p, FrameKind::kPython, "main"));
  const NodeId kernels[] = {p.Child(stack, FrameOf(p, FrameKind::kGpuKernel, "gemm")),
                            p.Child(stack, FrameOf(p, FrameKind::kGpuKernel, "ncclKernel")),
                            p.Child(stack, FrameOf(p, FrameKind::kGpuCopy, "copy"))};
  const NodeId wait = p.Child(stack, FrameOf(p, FrameKind::kCudaApi, "cuStreamSynchronize"));
  const auto add = [&](NodeId node, ThreadId thread, const char* metric, int64_t amount) {
    p.AddSelf(node, thread, p.FindMetric(metric), amount);
  };
  for (int i = 0; i < 2000; ++i) {
    const HostNs begin = below(kEnd - 40'000'000), end = begin + below(30'000'000);
    const NodeId node = kernels[below(3)];
    run.events.events.operations.push_back(
        {begin - 10, begin, end, ThreadId{1}, node, GpuStreamId{1}, node == kernels[2] ? i : 0});
    add(node, ThreadId{1}, kMetricGpu, end - begin);
    add(node, ThreadId{1}, kMetricGpuOps, 1);
    if (node == kernels[2]) add(node, ThreadId{1}, kMetricGpuBytes, i);
  }
  // The plain way: the sum, over all that ran, of the time in which something else did.
  std::map<HostNs, int> edges;
  for (const PhaseOperation& each : run.events.events.operations) {
    ++edges[each.start];
    --edges[each.end];
  }
  for (const PhaseOperation& each : run.events.events.operations) {
    int64_t beside = 0;
    int running = 0;
    HostNs last = 0;
    for (const auto& [time, step] : edges) {
      if (running >= 2) {
        beside += std::max<int64_t>(std::min(time, each.end) - std::max(last, each.start), 0);
      }
      running += step;
      last = time;
    }
    add(each.node, each.thread, kMetricGpuOverlapped, beside);
  }
  for (int i = 0; i < 50; ++i) {
    const HostNs begin = below(kEnd - 20'000'000), end = begin + below(10'000'000);
    run.events.events.waits.push_back({begin, end, ThreadId{1}, wait});
    add(wait, ThreadId{1}, kMetricGpuWait, end - begin);
  }
  for (int i = 0; i < 5000; ++i) {
    SampleRow row;
    row.time = below(kEnd);
    row.thread = ThreadId{1 + static_cast<uint32_t>(below(3))};
    row.node = below(2) == 0 ? stack : wait;
    row.weight = static_cast<uint32_t>(below(2'000'000));
    row.state = static_cast<uint8_t>(row.thread.value % 3);
    run.samples.push_back(row);
    add(row.node, row.thread, "cpu", row.weight);
    add(row.node, row.thread, "samples", 1);
    if (row.state == kStateGilHeld) add(p.root(), row.thread, "cpu_gil", row.weight);
    if (row.state == kStateGilReleased) add(p.root(), row.thread, "cpu_nogil", row.weight);
  }
  add(kernels[0], ThreadId{1}, kMetricPcSamples, 77);
  p.gpu.wall.push_back({"gpu.compute", kEnd});
  p.gpu.lanes.push_back({ProcessId{1}, GpuDeviceId{1}, 1'000'000'000, kEnd, 0, {}});
  p.meta["duration_ns"] = std::to_string(kEnd);
  return run;
}

void AddWork(const Run& run, PartBuilder& builder) {
  builder.LookAt(run.events.events.operations);
  builder.AddOperations(run.events.events.operations);
}

PartValues PartOf(const Run& run, TimeRange range) {
  PartBuilder builder(run.profile, run.events, range);
  AddWork(run, builder);
  builder.AddSamples(run.samples);
  return std::move(builder).Finish();
}

using Sums = std::map<std::tuple<NodeId, ThreadId, MetricId>, int64_t>;
void AddTo(Sums& sums, const std::vector<Value>& values, MetricId without) {
  for (const Value& value : values) {
    if (value.metric != without && value.self != 0) {
      sums[{value.node, value.thread, value.metric}] += value.self;
    }
  }
}

TEST_CASE("the parts of a partition of the recording are the recording, node by node") {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    const Run run = RandomRun(seed);
    const MetricId pc = run.profile.FindMetric(kMetricPcSamples);
    Sums whole, parts;
    AddTo(whole, run.profile.values, pc);
    for (const TimeRange range :
         {TimeRange{0, 3'000'000'000}, TimeRange{3'000'000'000, 3'000'000'123},
          TimeRange{3'000'000'123, 11'111'111'111}, TimeRange{11'111'111'111, kEnd}}) {
      const PartValues part = PartOf(run, range);
      AddTo(parts, part.values, pc);
      int64_t wall = 0;
      for (const WallPart& row : part.wall) wall += row.ns;
      CHECK(wall == range.end - range.begin);
      for (const WallLane& lane : part.lanes) {
        int64_t own = 0;
        for (const WallPart& row : lane.parts) own += row.ns;
        CHECK(own == lane.end - lane.begin);
      }
    }
    CHECK(parts == whole);
  }
}

TEST_CASE("what lies behind the end of the recording counts in the part that reaches it") {
  Run run = RandomRun(2);
  SampleRow late = run.samples[0];
  late.time = kEnd + 5;
  late.weight = 100;
  run.samples = {late};
  const auto cpu = [&](TimeRange range) {
    int64_t sum = 0;
    for (const Value& value : PartOf(run, range).values) {
      if (value.metric == MetricId{1}) sum += value.self;
    }
    return sum;
  };
  CHECK(cpu({5, kEnd}) == 100);
  CHECK(cpu({5, kEnd - 1}) == 0);
}

TEST_CASE("work and samples that come in slices are those that come at once") {
  const Run run = RandomRun(9);
  const TimeRange range{1'000'000'000, 19'000'000'000};
  const PartValues once = PartOf(run, range);
  PartBuilder builder(run.profile, run.events, range);
  builder.LookAt(run.events.events.operations);
  for (HostNs begin = range.begin; begin < range.end; begin += 2'000'000'000) {
    const HostNs end = begin + 2'000'000'000;
    std::vector<PhaseOperation> work;
    for (const PhaseOperation& operation : run.events.events.operations) {
      const bool before = begin == range.begin && operation.start < begin;
      if (before || (operation.start >= begin && operation.start < end)) work.push_back(operation);
    }
    builder.AddOperations(work);
    std::vector<SampleRow> slice;
    for (const SampleRow& row : run.samples) {
      if (row.time >= begin && row.time < end) slice.push_back(row);
    }
    builder.AddSamples(slice);
    builder.Advance(end);
  }
  const PartValues sliced = std::move(builder).Finish();
  CHECK(sliced.wall == once.wall);
  CHECK(sliced.lanes == once.lanes);
  Sums a, b;
  AddTo(a, once.values, {});
  AddTo(b, sliced.values, {});
  CHECK(a == b);
}

TEST_CASE("a kernel that crosses the edge counts with its part, and is run where it begins") {
  Run run = RandomRun(1);
  run.samples.clear();
  run.events = {};
  const NodeId kernel{3};
  run.events.events.operations = {{50, 100, 300, ThreadId{1}, kernel, GpuStreamId{1}}};
  run.profile.gpu.lanes.clear();
  const auto of = [&](const PartValues& part, const char* metric) {
    int64_t sum = 0;
    for (const Value& value : part.values) {
      if (value.metric == run.profile.FindMetric(metric)) sum += value.self;
    }
    return sum;
  };
  const PartValues first = PartOf(run, {0, 200}), second = PartOf(run, {200, 400});
  CHECK(of(first, kMetricGpu) == 100);
  CHECK(of(first, kMetricGpuOps) == 1);
  CHECK(of(second, kMetricGpu) == 100);
  CHECK(of(second, kMetricGpuOps) == 0);
  // Its instructions were sampled at no time: both have them, and a range without it has none.
  CHECK(of(first, kMetricPcSamples) == 77);
  CHECK(of(second, kMetricPcSamples) == 77);
  CHECK(of(PartOf(run, {400, 500}), kMetricPcSamples) == 0);
}

TEST_CASE("a profile that shows a part keeps the sums of the whole and its facts") {
  Run run = RandomRun(4);
  int64_t cpu = 0;
  for (const Value& value : run.profile.values) {
    if (value.metric == MetricId{1}) cpu += value.self;
  }
  PartValues part = PartOf(run, {0, 1'000'000'000});
  const size_t count = part.values.size();
  ShowPart(std::move(part), ShownPart{.range = {0, 1'000'000'000}}, run.profile);
  CHECK(run.profile.values.size() == count);
  REQUIRE(run.profile.part);
  CHECK(run.profile.part->whole.at(0) == cpu);
  CHECK(run.profile.quality["cpu_accounted_ns"] == cpu);
  CHECK(run.profile.quality["samples"] == 5000);
}

TEST_CASE("which part is asked for") {
  Run run = RandomRun(1);
  Profile& p = run.profile;
  {
    const auto none = ChoosePart(p, {});
    REQUIRE(none);
    CHECK_FALSE(*none);
  }
  p.phases.phases = {
      {PhaseKind::kStartUp, {0, 5}}, {PhaseKind::kSteady, {5, 50}}, {PhaseKind::kEnd, {50, kEnd}}};
  p.phases.trains.push_back({ProcessId{1}, StepSource::kMarkers, 0, {{5, 20}, {20, 30}, {30, 50}}});
  const auto chosen = [&](const PartQuery& query) { return ChoosePart(p, query); };

  SECTION("the steady phase, where nothing is") {
    const auto part = chosen({});
    REQUIRE((part && *part));
    CHECK((*part)->range == TimeRange{5, 50});
    CHECK((*part)->phase == PhaseKind::kSteady);
    CHECK_FALSE((*part)->chosen);
    CHECK((*part)->steps == 3);
    CHECK((*part)->first_step == 1);
    const auto all = chosen({.all = true});
    REQUIRE(all);
    CHECK_FALSE(*all);
  }
  SECTION("steps") {
    const auto part = chosen({.steps = PartQuery::Steps{2, 3}});
    REQUIRE((part && *part));
    CHECK((*part)->range == TimeRange{20, 50});
    CHECK((*part)->steps == 2);
    CHECK((*part)->first_step == 2);
    CHECK_FALSE(chosen({.steps = PartQuery::Steps{2, 4}}).ok());
    CHECK(chosen({.steps = PartQuery::Steps{2, 4}}).error().fix == "its steps are 1 to 3");
    p.phases.trains.clear();
    CHECK_FALSE(chosen({.steps = PartQuery::Steps{1, 1}}).ok());
  }
  SECTION("a range is cut to the recording") {
    const auto part = chosen({.range = TimeRange{10, kEnd + 5}});
    REQUIRE((part && *part));
    CHECK((*part)->range == TimeRange{10, kEnd});
    CHECK((*part)->steps == 2);
    CHECK_FALSE(chosen({.range = TimeRange{kEnd, kEnd + 5}}).ok());
  }
  SECTION("a phase that is not there") {
    const auto part = chosen({.phase = PhaseKind::kWarmUp});
    REQUIRE_FALSE(part);
    CHECK(part.error().fix == "it has: start-up, steady, end");
  }
}

TEST_CASE("work of a part is estimated by the launches of each path there") {
  Run run;
  Profile& p = run.profile;
  p.processes.push_back({1, 0, p.Intern("a"), {}});
  p.threads.push_back({ProcessId{1}, 1, p.Intern("t")});
  for (const char* metric :
       {kMetricGpu, kMetricGpuOps, kMetricGpuEstimated, kMetricGpuOpsEstimated, kMetricGpuError}) {
    p.AddMetric(metric, "ns", MetricKind::kExact);
  }
  p.meta["duration_ns"] = "100";
  const auto path_of = [&](const char* name) {
    return p.Child(p.root(), FrameOf(p, FrameKind::kPython, name));
  };
  const NodeId often = path_of("often"), seldom = path_of("seldom"), early = path_of("early");
  const auto kernel_of = [&](NodeId path) {
    return p.Child(path, FrameOf(p, FrameKind::kGpuKernel, "gemm"));
  };
  // Under a marker, as of a graph.
  const NodeId of_often = kernel_of(p.Child(often, FrameOf(p, FrameKind::kMarker, kCapturedAt)));
  const NodeId of_seldom = kernel_of(seldom), of_early = kernel_of(early);
  const auto windows = {std::pair<HostNs, HostNs>{0, 40}, {40, 60}, {60, 80}, {80, 100}};
  bool traced = true;
  for (const auto& [begin, end] : windows) {
    run.events.windows.push_back(
        {begin, end, 1, true, std::exchange(traced, !traced), ProcessId{1}});
  }
  std::vector<PhaseLaunch> launches;
  const auto launch = [&](HostNs time, NodeId path, NodeId kernel, HostNs ns, int runs = 1) {
    launches.push_back({time, ThreadId{1}, path});
    const bool seen = time < 40 || (time >= 60 && time < 80);
    for (int i = 0; seen && i < runs; ++i) {
      run.events.events.operations.push_back(
          {time, time + 1, time + 1 + ns, ThreadId{1}, kernel, {}, 0});
    }
  };
  launch(5, early, of_early, 7);
  for (HostNs time = 42; time < 100; time += 2) launch(time, often, of_often, 1, 2);
  for (const HostNs time : {45, 65, 85, 95}) launch(time, seldom, of_seldom, 4);
  for (const HostNs time : {47, 67}) launch(time, early, of_early, time == 67 ? 9 : 7);

  const auto sum = [&](TimeRange range, const char* metric, NodeId node) {
    PartBuilder builder(p, run.events, range);
    for (const PhaseLaunch& each : launches) builder.AddLaunch(each);
    AddWork(run, builder);
    const PartValues part = std::move(builder).Finish();
    int64_t found = 0;
    for (const Value& value : part.values) {
      if (value.metric == p.FindMetric(metric) && value.node == node) found += value.self;
    }
    return found;
  };
  const TimeRange later{40, 100};
  CHECK(sum(later, kMetricGpuOps, of_often) == 20);
  CHECK(sum(later, kMetricGpuOpsEstimated, of_often) == 58);
  CHECK(sum(later, kMetricGpuEstimated, of_often) == 58);
  CHECK(sum(later, kMetricGpuError, of_often) == 0);
  CHECK(sum(later, kMetricGpuOpsEstimated, of_seldom) == 4);
  CHECK(sum(later, kMetricGpuEstimated, of_seldom) == 16);
  // Launched there and not recorded there: as elsewhere.
  const TimeRange short_one{44, 66};
  CHECK(sum(short_one, kMetricGpuOps, of_early) == 0);
  CHECK(sum(short_one, kMetricGpuOpsEstimated, of_early) == 1);
  CHECK(sum(short_one, kMetricGpuEstimated, of_early) == 9);
  CHECK(sum(short_one, kMetricGpuError, of_early) > 0);
  CHECK(sum({0, 30}, kMetricGpuEstimated, of_early) == 7);
  CHECK(sum({0, 30}, kMetricGpuError, of_early) == 0);
  // No record is there at all.
  CHECK(sum({80, 100}, kMetricGpuEstimated, of_often) == 0);
  // What was launched before the part counts as it ran there, and stands for nothing.
  launches.clear();
  run.events.events.operations.clear();
  launches.push_back({39, ThreadId{1}, seldom});
  run.events.events.operations.push_back({39, 41, 49, ThreadId{1}, of_seldom, {}, 0});
  for (const HostNs time : {45, 46, 47}) launches.push_back({time, ThreadId{1}, seldom});
  CHECK(sum({40, 60}, kMetricGpuEstimated, of_seldom) == 8);
  launch(61, often, of_often, 1);
  CHECK(sum({40, 80}, kMetricGpuEstimated, of_seldom) == 8 + 3 * 8);
  CHECK(sum({45, 80}, kMetricGpuEstimated, of_seldom) == 4 + 3 * 8);
  CHECK(sum({45, 80}, kMetricGpuOpsEstimated, of_seldom) == 3);
}

TEST_CASE("a part of a recording with windows says how much of it has records") {
  Run run;
  Profile& p = run.profile;
  p.processes.push_back({1, 0, p.Intern("a"), {}});
  p.threads.push_back({ProcessId{1}, 1, p.Intern("t")});
  p.gpu.wall.push_back({"gpu.compute", 100});
  p.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  p.meta["duration_ns"] = "100";
  const NodeId kernel = p.Child(p.root(), FrameOf(p, FrameKind::kGpuKernel, "gemm"));
  // Records in [0, 20) and [60, 80); three launches in each ten.
  for (const auto& [begin, traced] : {std::pair(0, true), {20, false}, {60, true}, {80, false}}) {
    const HostNs end = begin == 20 ? 60 : begin + 20;
    run.events.windows.push_back({begin, end, 3 * (end - begin) / 10, true, traced, ProcessId{1}});
    for (HostNs at = begin; traced && at < end; at += 10) {
      for (int i = 0; i < 3; ++i) {
        run.events.events.operations.push_back(
            {at, at + i, at + i + 2, ThreadId{1}, kernel, {}, 0});
      }
    }
  }
  std::map<std::string, int64_t> wall;
  for (const WallPart& part : PartOf(run, {10, 30}).wall) wall[part.name] += part.ns;
  CHECK(wall[std::string("idle.sync.") + kNoRecords] == 10);
  int64_t all = 0;
  for (const auto& [name, ns] : wall) all += ns;
  CHECK(all == 20);

  const std::optional<RecordsMade> made = PartOf(run, {15, 30}).records;
  REQUIRE(made);
  CHECK(*made == RecordsMade{4, 1, 5, 10});  // shares of windows, rounded down
  CHECK_FALSE(RecordsIn({}, {0, 5}));
}

TEST_CASE("bins of a timeline hold all that lies in the range") {
  TimelineBinner binner({100, 200}, 7);
  const PhaseOperation work[] = {{0, 90, 110, {}, {}, GpuStreamId{1}},
                                 {0, 120, 180, {}, {}, GpuStreamId{1}},
                                 {0, 199, 300, {}, {}, GpuStreamId{2}},
                                 {0, 0, 50, {}, {}, GpuStreamId{3}}};
  binner.AddOperations(work);
  SampleRow sample;
  sample.time = 150;
  sample.weight = 30;
  sample.thread = ThreadId{1};
  binner.AddSamples({&sample, 1});
  const TimelineBins bins = std::move(binner).Finish();
  REQUIRE(bins.rows.size() == 3);
  CHECK(bins.rows[0].busy_ns == 70);
  CHECK(bins.rows[1].busy_ns == 1);
  CHECK(bins.rows[2].busy_ns == 30);
  for (const TimelineBins::Row& row : bins.rows) {
    int64_t sum = 0;
    for (const int64_t ns : row.bins) {
      CHECK(ns <= 15);  // the length of a bin
      sum += ns;
    }
    CHECK(sum == row.busy_ns);
  }
}

}  // namespace
}  // namespace gprofx
