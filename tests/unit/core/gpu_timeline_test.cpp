// Plain events, without a wire: what any importer may feed.
#include "core/gpu/gpu_timeline_builder.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/kernels/work_names.h"
#include "core/model/totals.h"

namespace gprofx {
namespace {

struct Bench {
  Bench() {
    profile.processes.push_back({100, 1});
    profile.processes.push_back({200, 1});
    profile.threads.push_back({ProcessId{1}, 101});
    profile.threads.push_back({ProcessId{2}, 201});
    outer = Below(profile.root(), "outer");
    inner = Below(outer, "inner");
    axpy = timeline.NameKernel("axpy(float*)");
    reduce = timeline.NameKernel("ncclDevKernel_AllReduce(int)");
  }
  NodeId Below(NodeId parent, const char* name) {
    Function function;
    function.name = profile.Intern(name);
    Frame frame;
    frame.kind = FrameKind::kPython;
    frame.function = profile.Intern(function);
    return profile.Child(parent, profile.Intern(frame));
  }
  std::string Path(NodeId node) const {
    std::string text;
    for (; node != profile.root(); node = profile.node(node).parent) {
      const Frame& frame = profile.frame(profile.node(node).frame);
      text = std::string(profile.Text(profile.function(frame.function).name)) +
             (text.empty() ? "" : " > " + text);
    }
    return text;
  }
  int64_t Total(const char* metric, ThreadId thread = {}) const {
    const MetricId id = profile.FindMetric(metric);
    return id ? InclusiveByNode(profile, SelfByNode(profile, id, thread)).at(0) : -1;
  }
  GpuKernel Kernel(uint32_t correlation, HostNs start, HostNs end) const {
    GpuKernel kernel;
    kernel.work = {correlation, start, end, 0, 0, 1, 7};
    kernel.name = axpy;
    kernel.config.function = axpy.function;
    return kernel;
  }
  GpuPlace Add(const GpuKernel& kernel) { return first.AddKernel(kernel, stacks).value(); }

  Profile profile;
  GpuTimeline timeline{profile};
  GpuTimelineBuilder first{timeline, profile, ProcessId{1}};
  GpuTimelineBuilder second{timeline, profile, ProcessId{2}};
  NodeId outer, inner;
  GpuKernelName axpy, reduce;
  StackOf stacks = [this](uint32_t stack) { return stack == 9 ? inner : profile.root(); };
};

TEST_CASE("launches are known before, and apart from, the work that some of them have") {
  Bench bench;
  bench.first.AddLaunch({1, ThreadId{1}, bench.inner, 50});
  bench.first.AddLaunch({2, ThreadId{1}, bench.outer, 60});
  CHECK_FALSE(bench.timeline.used());  // counted calls are no work yet
  CHECK(bench.profile.metrics.empty());
  CHECK(bench.timeline.UsesGpu(ThreadId{1}));
  CHECK_FALSE(bench.timeline.UsesGpu(ThreadId{2}));
  const GpuPlace place = bench.Add(bench.Kernel(1, 100, 350));
  CHECK(bench.Path(place.node) == "outer > inner > axpy(float*)");
  CHECK(place.thread == ThreadId{1});
  CHECK(place.launch == 50);
  CHECK(bench.Total(kMetricGpu) == 250);
  CHECK(bench.Total(kMetricGpuOps) == 1);
  CHECK(bench.timeline.unlaunched() == 0);
  // The same number in another process is another launch.
  const GpuPlace lost = bench.second.AddKernel(bench.Kernel(1, 400, 410), bench.stacks).value();
  CHECK(bench.Path(lost.node) == "[launched before the recording or lost] > axpy(float*)");
  CHECK(bench.profile.thread(lost.thread).process == ProcessId{2});
  CHECK(lost.launch == 0);
  CHECK(bench.timeline.unlaunched() == 1);
}

TEST_CASE("launches have rows of their own only where not all work may be recorded") {
  Bench bench;
  bench.timeline.TracesAll();
  bench.first.AddLaunch({1, ThreadId{1}, bench.inner, 50});
  CHECK(bench.timeline.events().launches.rows() == 0);
}

TEST_CASE("each kind of event has its row, and rows are given once") {
  Bench bench;
  bench.first.AddDevice(0, {"GPU-1", "H100", "0000:1b:00.0", "13.0", 9, 0, 132});
  bench.first.AddContext(1, 0);
  bench.first.AddLaunch({1, ThreadId{1}, bench.inner, 5'050});
  bench.Add(bench.Kernel(1, 100, 200));
  bench.first.AddCopy({{1, 200, 210, 0, 0, 1, 7}, 4096, 1, 2, 3}, bench.stacks);
  bench.first.AddSet({{1, 220, 221, 0, 0, 1, 7}, 64, 3}, bench.stacks);
  bench.first.AddSync({1, 230, 240, 1, 3});
  bench.first.AddCall({ThreadId{1}, bench.inner, "cuMemAlloc", 10, 20, false});
  bench.first.AddCall({ThreadId{1}, bench.inner, "cuStreamSynchronize", 30, 70, true});
  bench.first.AddOverhead({80, 90, 1, 101, false});
  std::vector<Stream> streams;
  std::vector<size_t> rows;
  const auto take = [&](const EventTable& table) {
    streams.push_back(table.stream());
    rows.push_back(table.rows());
  };
  const auto& calls = bench.timeline.events().calls;
  CHECK(bench.Path(NodeId{static_cast<uint32_t>(calls.column(column::kCallNode)[0])}) ==
        "outer > inner");
  CHECK(bench.Path(NodeId{static_cast<uint32_t>(calls.column(column::kCallNode)[1])}) ==
        "outer > inner > cuStreamSynchronize");
  CHECK(bench.timeline.events().copies.column(column::kCopyTarget)[0] == 3);
  CHECK(bench.timeline.events().syncs.column(column::kSyncNode)[0] == bench.inner.value);
  const auto& launches = bench.timeline.events().launches;
  CHECK(launches.column(column::kLaunchTime)[0] == 5'000);  // whole microseconds
  CHECK(launches.column(column::kLaunchNode)[0] == bench.inner.value);
  bench.timeline.TakeEvents(take);
  CHECK(streams == std::vector<Stream>{Stream::kKernels, Stream::kCopies, Stream::kSets,
                                       Stream::kSyncs, Stream::kCalls, Stream::kOverheads,
                                       Stream::kGpuLaunches});
  CHECK(rows == std::vector<size_t>{1, 1, 1, 1, 2, 1, 1});
  bench.timeline.TakeEvents(take);
  CHECK(streams.size() == 7);
  CHECK(bench.Total(kMetricGpu) == 111);
  CHECK(bench.Total(kMetricGpuBytes) == 4096 + 64);
  CHECK(bench.Total(kMetricGpuWait) == 40);
  REQUIRE(bench.profile.gpu.streams.size() == 1);
  CHECK(bench.profile.gpu.contexts[0].device == GpuDeviceId{1});
}

TEST_CASE("work knows how long other work of its device ran beside it") {
  Bench bench;
  bench.first.AddDevice(0, {"GPU-1"});
  bench.second.AddDevice(0, {"GPU-2"});
  bench.first.AddLaunch({1, ThreadId{1}, bench.inner, 50});
  bench.second.AddLaunch({1, ThreadId{2}, bench.inner, 50});
  bench.Add(bench.Kernel(1, 100, 200));
  bench.first.AddCopy({{1, 150, 400, 0, 0, 1, 8}, 4096, 1, 2, 3}, bench.stacks);
  bench.second.AddKernel(bench.Kernel(1, 120, 190), bench.stacks);  // on another GPU
  bench.timeline.AdvanceWall(1000);                                 // nothing of that is old
  CHECK(bench.Total(kMetricGpuOverlapped) == 0);
  bench.timeline.FinishWall(1000);
  CHECK(bench.Total(kMetricGpuOverlapped, ThreadId{1}) == 50 + 50);
  CHECK(bench.Total(kMetricGpuOverlapped, ThreadId{2}) == 0);
}

TEST_CASE("work of a graph stands below its launch and the stack that captured it") {
  Bench bench;
  bench.first.AddLaunch({5, ThreadId{1}, bench.outer, 50});
  CHECK(bench.first.AddGraphNode({500, 0, 9}));
  CHECK(bench.first.AddGraphNode({900, 500, 0}));  // the clone that runs
  GpuKernel kernel = bench.Kernel(5, 100, 110);
  kernel.work.graph_node = 900;
  CHECK(bench.Path(bench.Add(kernel).node) ==
        "outer > [CUDA graph, captured at] > outer > inner > axpy(float*)");
}

TEST_CASE("a graph that runs while records are switched off has no end of its own") {
  Bench bench;
  GpuTimelineBuilder& builder = bench.first;
  builder.BeginLevel(0, true, true, 0);
  for (const uint32_t launch : {1u, 2u}) builder.AddLaunch({launch, ThreadId{1}, bench.outer, 10});
  const auto add = [&](uint32_t correlation, HostNs start, HostNs end, uint64_t graph_node) {
    GpuKernel kernel = bench.Kernel(correlation, start, end);
    kernel.work.graph_node = graph_node;
    return builder.AddKernel(kernel, bench.stacks).has_value();
  };
  CHECK(add(1, 20, 30, 900));
  builder.EndLevel(100, 2);
  builder.BeginLevel(100, true, false, 2);
  CHECK_FALSE(add(2, 90, 160, 900));   // its end is that of a replay without records
  CHECK_FALSE(add(2, 101, 180, 901));  // of nothing that was seen before
  CHECK(add(2, 104, 119, 900));        // ran behind what was in the queue
  builder.AddLaunch({3, ThreadId{1}, bench.outer, 150});
  builder.EndLevel(500, 3);
  builder.BeginLevel(500, true, true, 3);
  builder.AddLaunch({4, ThreadId{1}, bench.outer, 510});
  CHECK_FALSE(add(2, 95, 530, 900));
  CHECK(add(4, 520, 530, 900));
  CHECK(add(2, 95, 530, 0));  // a kernel by itself may be that long
  CHECK(bench.profile.quality["gpu_records_no_end"] == 3);
  builder.Finish(600, 4);
  bench.timeline.FinishWall(600);
  CHECK(bench.Total(kMetricGpu) == 10 + 15 + 10 + 435);
  CHECK(bench.timeline.events().kernels.rows() == 4);
}

TEST_CASE("the partition of the run and of each process on its GPU come out of the same events") {
  Bench bench;
  bench.first.AddDevice(0, {"GPU-1"});
  bench.second.AddDevice(0, {"GPU-2"});
  bench.first.AddLaunch({1, ThreadId{1}, bench.inner, 50});
  bench.second.AddLaunch({1, ThreadId{2}, bench.inner, 50});
  bench.Add(bench.Kernel(1, 100, 400));
  GpuKernel reduce = bench.Kernel(1, 100, 600);
  reduce.name = bench.reduce;
  bench.second.AddKernel(reduce, bench.stacks);
  bench.first.AddCall({ThreadId{1}, bench.inner, "cuCtxSynchronize", 600, 700, true});
  bench.first.AddOverhead({700, 750, 6u << 16, 0, true});
  bench.timeline.AddSample({800, ThreadId{1}, bench.inner, 20, kStateGilHeld});
  bench.timeline.FinishWall(1000);
  const std::vector<WallPart> whole = {
      {"gpu.compute", 300},    {"gpu.communication", 200}, {"idle.sync.cuCtxSynchronize", 100},
      {"idle.queue_full", 50}, {"idle.python", 20},        {"idle.unexplained", 330}};
  CHECK(bench.profile.gpu.wall == whole);
  CHECK(bench.profile.quality.at("gpu_hidden_communication_ns") == 300);
  REQUIRE(bench.profile.gpu.lanes.size() == 2);
  CHECK(bench.profile.gpu.lanes[1].process == ProcessId{2});
  CHECK(bench.profile.gpu.lanes[1].device == GpuDeviceId{2});
  CHECK(bench.profile.gpu.lanes[1].parts[0] == WallPart{"gpu.communication", 500});
}

TEST_CASE("work that ends before it starts has no time") {
  Bench bench;
  bench.first.AddLaunch({1, ThreadId{1}, bench.inner, 50});
  bench.Add(bench.Kernel(1, 400, 100));
  CHECK(bench.Total(kMetricGpu) == 0);
  CHECK(bench.timeline.events().kernels.column(column::kKernelDuration)[0] == 0);
}

TEST_CASE("devices are shared by their UUID, and without one by nobody") {
  Bench bench;
  for (GpuTimelineBuilder* builder : {&bench.first, &bench.second}) {
    builder->AddDevice(0, {"GPU-1", "H100"});
    builder->AddDevice(1, {"", "H100"});
  }
  CHECK(bench.profile.gpu.devices.size() == 3);
}

TEST_CASE("launches are found again until much newer ones need their place") {
  LaunchTable launches;
  for (uint32_t i = 1; i <= 100'000; ++i) launches.Add({i, ThreadId{1}, NodeId{i}, i});
  for (uint32_t i = 1; i <= 100'000; ++i) REQUIRE(launches.Find(i)->node.value == i);
  CHECK(launches.Find(100'001) == nullptr);
  CHECK(launches.Find(0) == nullptr);
  // Their work was seen: no need to grow for ever.
  const size_t capacity = launches.capacity();
  for (uint32_t i = 100'001; i <= 500'000; ++i) {
    launches.Add({i, ThreadId{1}, NodeId{i}, i});
    launches.Find(i);
  }
  CHECK(launches.capacity() == capacity);
  CHECK(launches.forgotten() == 0);
  for (uint32_t i = 1'000'000; i < 4'000'000; ++i) launches.Add({i, ThreadId{1}, NodeId{i}, i});
  CHECK(launches.capacity() == LaunchTable::kMaxEntries);
  CHECK(launches.forgotten() > 0);
  CHECK(launches.Find(3'999'999) != nullptr);
}

// A trace may have tens of thousands of processes.
TEST_CASE("the table of few launches is small, and forgets none until it is large") {
  LaunchTable launches;
  launches.Add({7, ThreadId{1}, NodeId{1}, 1});
  CHECK(launches.bytes() < 4096);
  launches.Find(7);
  for (uint32_t i = 1; i <= LaunchTable::kMinEntries; ++i) {
    launches.Add({5 * i, ThreadId{1}, NodeId{i}, i});
    launches.Find(5 * i);
    if (i <= 100) REQUIRE(launches.Find(5)->node.value == 1);
  }
  CHECK(launches.capacity() == LaunchTable::kMinEntries);
}

TEST_CASE("launches from times without records take no room") {
  LaunchTable launches;
  HostNs now = 0;
  uint32_t id = 0;
  const auto launch = [&](uint32_t count, bool traced) {
    for (uint32_t i = 0; i < count; ++i) {
      launches.Add({++id, ThreadId{1}, NodeId{1}, now += 25'000});
      if (traced) launches.Find(id);
    }
  };
  for (int window = 0; window < 200; ++window) {
    launch(1000, true);
    launches.BeginUntraced(now + 1);
    launch(30'000, false);
    launches.EndUntraced(now + 1);
  }
  CHECK(launches.capacity() == LaunchTable::kMinEntries);
  CHECK(launches.forgotten() == 0);
  // What was launched just before such a time, and not yet seen, is kept.
  const GpuLaunch waiting{++id, ThreadId{1}, NodeId{9}, now += 25'000};
  launches.Add(waiting);
  launches.BeginUntraced(now + 1);
  launch(100'000, false);
  REQUIRE(launches.Find(waiting.correlation) != nullptr);
  CHECK(launches.Find(waiting.correlation)->node == NodeId{9});
}

TEST_CASE("copies and memsets of every kind have a name") {
  CHECK(CopyName(1, 2, 3) == "copy host to device, pinned");
  CHECK(CopyName(2, 3, 1) == "copy device to host, pageable");
  CHECK(CopyName(8, 3, 3) == "copy device to device");
  CHECK(CopyName(10, 3, 3) == "copy device to another device");
  CHECK(CopyName(200, 9, 9) == "copy");
  CHECK(SetName(5) == "set managed memory");
  CHECK(SetName(99) == "set memory");
}

}  // namespace
}  // namespace gprofx
