// Launches in thread rings and records in the stream of a region -> the profile.
#include "samplers/collector/gpu/ingest.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/model/totals.h"
#include "samplers/collector/drain/drain.h"
#include "tests/unit/collector/fake_region.h"
#include "tests/unit/collector/gpu_stream.h"

namespace gprofx {
namespace {

constexpr HostNs kNow = 60'000'000'000;

struct Bench {
  Bench() : modules(profile), run(profile), gpu(region.memory()) {
    region.Begin(100, 1, "/bin/prog", std::string("prog\0", 5));
    profile.processes.push_back({100, 1});
    metrics = AddMetrics(profile, false);
    drain.emplace(profile, modules, metrics, region.View(), ProcessId{1}, false, &run);
    const uint32_t module = region.AddModule("/lib/libx.so", 0xab);
    outer = region.AddNode(0, wire::MakeNative(module, 0x10));
    inner = region.AddNode(outer, wire::MakeNative(module, 0x20));
    other = region.AddNode(0, wire::MakeNative(module, 0x30));
    region.BeginThread(0, 101, "main");
    region.BeginThread(1, 102, "second");
    gpu.Write(test::TextRecord(wire::kGpuName, 1, "_Z4axpyPf"));
    gpu.Write(test::TextRecord(wire::kGpuName, 2, "ncclDevKernel_AllReduce"));
  }
  void Launch(uint32_t slot, int64_t time, uint32_t node, uint32_t correlation) {
    region.Push(slot, time, node, correlation,
                static_cast<uint16_t>(wire::kRecordLaunch | wire::kCallLaunch << 8));
  }
  void Call(uint32_t slot, int64_t end, uint32_t node, wire::GpuCall call, uint32_t ns) {
    region.Push(slot, end, node, ns, static_cast<uint16_t>(wire::kRecordCall | call << 8));
  }
  size_t Drain() {
    return drain->Drain(kNow, rows, [](uint32_t, uint32_t) { return false; });
  }
  int64_t Total(const char* metric, ThreadId thread = {}) const {
    const MetricId id = profile.FindMetric(metric);
    return id ? InclusiveByNode(profile, SelfByNode(profile, id, thread)).at(0) : -1;
  }
  // "outer > inner > kernel", functions or addresses from the root on.
  std::string Path(int64_t node) const {
    std::string text;
    for (NodeId at{static_cast<uint32_t>(node)}; at != profile.root();
         at = profile.node(at).parent) {
      const Frame& frame = profile.frame(profile.node(at).frame);
      const std::string name =
          frame.function ? std::string(profile.Text(profile.function(frame.function).name))
                         : std::to_string(frame.address);
      text = name + (text.empty() ? "" : " > " + text);
    }
    return text;
  }
  FrameKind KindOf(int64_t node) const {
    return profile.frame(profile.node(NodeId{static_cast<uint32_t>(node)}).frame).kind;
  }

  test::FakeRegion region;
  Profile profile;
  ModuleTable modules;
  Metrics metrics;
  GpuRun run;
  test::StreamWriter gpu;
  std::optional<ProcessDrain> drain;
  std::vector<SampleRow> rows;
  uint32_t outer = 0, inner = 0, other = 0;
};

TEST_CASE("A kernel stands below the stack that launched it, with its time to the nanosecond") {
  Bench bench;
  bench.Launch(0, 1000, bench.inner, 41);
  bench.Launch(1, 1500, bench.other, 42);
  bench.region.Push(0, 2000, bench.outer, 500);
  bench.gpu.Write(test::KernelRecord(41, 1, 5000, 8001));
  bench.gpu.Write(test::KernelRecord(42, 1, 9000, 9010));
  CHECK(bench.Drain() == 1);  // calls are no samples
  CHECK(bench.rows.size() == 1);
  CHECK(bench.Total("samples") == 1);
  CHECK(bench.Total("gpu") == 3011);
  CHECK(bench.Total("gpu_operations") == 2);
  CHECK(bench.Total("gpu", ThreadId{1}) == 3001);
  CHECK(bench.Total("gpu", ThreadId{2}) == 10);

  const EventTable& kernels = bench.run.events().kernels;
  REQUIRE(kernels.rows() == 2);
  CHECK(bench.Path(kernels.column(column::kKernelNode)[0]) == "16 > 32 > axpy(float*)");
  CHECK(bench.KindOf(kernels.column(column::kKernelNode)[0]) == FrameKind::kGpuKernel);
  CHECK(bench.Path(kernels.column(column::kKernelNode)[1]) == "48 > axpy(float*)");
  CHECK(kernels.column(column::kKernelStart)[0] == 5000);
  CHECK(kernels.column(column::kKernelDuration)[0] == 3001);
  CHECK(kernels.column(column::kKernelLaunch)[0] == 1000);
  CHECK(kernels.column(column::kKernelThread)[1] == 2);
  CHECK(kernels.column(column::kKernelCorrelation)[1] == 42);
  // Both ran with the same configuration, on the same stream.
  CHECK(kernels.column(column::kKernelConfig) == std::vector<int64_t>{1, 1});
  CHECK(kernels.column(column::kKernelStream) == std::vector<int64_t>{1, 1});
  CHECK(bench.profile.gpu.configs.at(0).grid[0] == 100);
  CHECK(bench.profile.gpu.streams.at(0).number == 7);
  CHECK(bench.run.UsesGpu(ThreadId{1}));
}

TEST_CASE("Calls told during a look keep their times") {
  Bench bench;
  bench.Launch(0, kNow + 1000, bench.inner, 41);
  bench.Call(0, kNow + 9000, bench.outer, wire::kCallStreamSync, 5000);
  bench.gpu.Write(test::KernelRecord(41, 1, 5000, 8001));
  bench.Drain();
  CHECK(bench.run.events().kernels.column(column::kKernelLaunch) ==
        std::vector<int64_t>{kNow + 1000});
  CHECK(bench.run.events().calls.column(column::kCallStart) == std::vector<int64_t>{kNow + 4000});
}

TEST_CASE("Launching threads count from their first launch on") {
  Profile profile;
  profile.threads.resize(2);
  GpuRun run(profile);
  profile.threads[0].cpu_ns = 1000;
  run.AddLaunching(ThreadId{1});
  profile.threads[0].cpu_ns = 1700;
  profile.threads[1].cpu_ns = 50;
  run.AddLaunching(ThreadId{2});
  run.AddLaunching(ThreadId{1});
  profile.threads[0].cpu_ns = 2000;
  std::map<std::string, int64_t> quality;
  run.Publish(quality);
  CHECK(quality.at("gpu_launching_cpu_ns") == 1000);
}

TEST_CASE("Work without a known launch has a place of its own and is counted") {
  Bench bench;
  bench.gpu.Write(test::KernelRecord(7, 1, 100, 150));
  bench.gpu.Write(test::KernelRecord(8, 99, 200, 250));
  bench.Drain();
  CHECK(bench.Total("gpu") == 100);
  const auto& nodes = bench.run.events().kernels.column(column::kKernelNode);
  CHECK(bench.Path(nodes[0]) == "[launched before the recording or lost] > axpy(float*)");
  CHECK(bench.Path(nodes[1]) == "[launched before the recording or lost] > [unknown kernel]");
  const ThreadId thread{
      static_cast<uint32_t>(bench.run.events().kernels.column(column::kKernelThread)[0])};
  CHECK(bench.profile.Text(bench.profile.thread(thread).name) == "[unknown]");
  CHECK(bench.Total("gpu", thread) == 100);
  bench.run.Publish(bench.profile.quality);
  CHECK(bench.profile.quality["gpu_unlaunched"] == 2);
}

TEST_CASE("Copies and memsets are named by what goes where") {
  Bench bench;
  bench.Launch(0, 10, bench.inner, 1);
  bench.Launch(0, 20, bench.inner, 2);
  bench.Launch(0, 30, bench.inner, 3);
  bench.gpu.Write(test::CopyRecord(1, 100, 200, 4096, 1, 1, 3));
  bench.gpu.Write(test::CopyRecord(2, 300, 310, 64, 2, 3, 2));
  wire::GpuSetRecord set{};
  set.start = 400;
  set.end = 405;
  set.bytes = 99;
  set.correlation = 3;
  set.memory = 3;
  bench.gpu.Write(test::MakeRecord(wire::kGpuSet, set));
  bench.Drain();
  const GpuEvents& events = bench.run.events();
  REQUIRE(events.copies.rows() == 2);
  CHECK(bench.Path(events.copies.column(column::kCopyNode)[0]) ==
        "16 > 32 > copy host to device, pageable");
  CHECK(bench.Path(events.copies.column(column::kCopyNode)[1]) ==
        "16 > 32 > copy device to host, pinned");
  CHECK(bench.KindOf(events.copies.column(column::kCopyNode)[0]) == FrameKind::kGpuCopy);
  CHECK(events.copies.column(column::kCopyBytes)[0] == 4096);
  REQUIRE(events.sets.rows() == 1);
  CHECK(bench.Path(events.sets.column(column::kSetNode)[0]) == "16 > 32 > set device memory");
  CHECK(bench.Total("gpu") == 115);
}

TEST_CASE("Waiting calls are nodes with the time that the thread waited") {
  Bench bench;
  bench.Call(0, 5'000, bench.inner, wire::kCallStreamSync, 3'000);
  bench.Call(0, 6'000, bench.inner, wire::kCallAlloc, 100);
  // Longer than 32 bits: two parts.
  bench.Call(1, 20'000'000'000 - 1'000, bench.outer, wire::kCallEventSync, UINT32_MAX);
  bench.Call(1, 20'000'000'000, bench.outer, wire::kCallEventSync, 1'000);
  bench.Call(0, 7'000, bench.inner, wire::kGpuCallCount, 100);  // no such call
  bench.Drain();
  const int64_t waited = 3'000 + int64_t{UINT32_MAX} + 1'000;
  CHECK(bench.Total("gpu_wait") == waited);
  const EventTable& calls = bench.run.events().calls;
  REQUIRE(calls.rows() == 3);
  CHECK(bench.Path(calls.column(column::kCallNode)[0]) == "16 > 32 > cuStreamSynchronize");
  CHECK(bench.KindOf(calls.column(column::kCallNode)[0]) == FrameKind::kCudaApi);
  CHECK(calls.column(column::kCallStart)[0] == 2'000);
  CHECK(bench.Path(calls.column(column::kCallNode)[1]) == "16 > 32");
  CHECK(calls.column(column::kCallDuration)[2] == int64_t{UINT32_MAX} + 1'000);
  CHECK(calls.column(column::kCallStart)[2] == 20'000'000'000 - UINT32_MAX - 1'000);
  CHECK(bench.profile.Text(StringId{static_cast<uint32_t>(calls.column(column::kCallKind)[1])}) ==
        "cuMemAlloc");
  bench.run.Publish(bench.profile.quality);
  CHECK(bench.profile.quality["gpu_bad_records"] == 1);
}

TEST_CASE("Parts of calls that do not belong together stay apart, and none is forgotten") {
  Bench bench;
  bench.Call(0, 10'000'000'000, bench.inner, wire::kCallStreamSync, UINT32_MAX);
  bench.Call(0, 12'000'000'000, bench.inner, wire::kCallStreamSync, 7);
  bench.Call(0, 20'000'000'000, bench.inner, wire::kCallStreamSync, UINT32_MAX);
  bench.Drain();
  CHECK(bench.run.events().calls.rows() == 2);
  bench.drain->Close(kNow, bench.rows, [](uint32_t, uint32_t) { return false; });
  CHECK(bench.run.events().calls.rows() == 3);
  CHECK(bench.Total("gpu_wait") == 2 * int64_t{UINT32_MAX} + 7);
}

TEST_CASE("A kernel of a CUDA graph has the launch and the capture in its path") {
  Bench bench;
  wire::GpuGraphNodeRecord node{};
  node.graph_node = 500;
  node.node = bench.other;
  bench.gpu.Write(test::MakeRecord(wire::kGpuGraphNode, node));
  node = {};
  node.graph_node = 900;  // the clone made by instantiation
  node.original = 500;
  node.node = bench.inner;
  bench.gpu.Write(test::MakeRecord(wire::kGpuGraphNode, node));
  bench.Launch(0, 10, bench.outer, 5);
  for (int i = 0; i < 3; ++i) bench.gpu.Write(test::KernelRecord(5, 1, 100, 110, 900));
  bench.gpu.Write(test::KernelRecord(5, 1, 100, 110, 12345));  // captured before we looked
  bench.Drain();
  const auto& nodes = bench.run.events().kernels.column(column::kKernelNode);
  CHECK(bench.Path(nodes[0]) == "16 > [CUDA graph, captured at] > 48 > axpy(float*)");
  CHECK(nodes[2] == nodes[0]);
  CHECK(bench.Path(nodes[3]) == "16 > axpy(float*)");
  CHECK(bench.Total("gpu") == 40);
}

TEST_CASE("Graph nodes that are clones of each other end somewhere") {
  Bench bench;
  wire::GpuGraphNodeRecord node{};
  node.graph_node = 1;
  node.original = 2;
  bench.gpu.Write(test::MakeRecord(wire::kGpuGraphNode, node));
  node.graph_node = 2;
  node.original = 1;
  bench.gpu.Write(test::MakeRecord(wire::kGpuGraphNode, node));
  bench.Launch(0, 10, bench.outer, 5);
  bench.gpu.Write(test::KernelRecord(5, 1, 100, 110, 1));
  bench.Drain();
  CHECK(bench.Path(bench.run.events().kernels.column(column::kKernelNode)[0]) ==
        "16 > axpy(float*)");
}

TEST_CASE("PC samples become rows and values of the kernel, latency is a part of its reason") {
  Bench bench;
  const std::string prefix = "smsp__pcsamp_warps_issue_stalled_";
  bench.gpu.Write(test::TextRecord(wire::kGpuStall, 0, "smsp__pcsamp_sample_count"));
  bench.gpu.Write(test::TextRecord(wire::kGpuStall, 1, prefix + "long_scoreboard"));
  bench.gpu.Write(test::TextRecord(wire::kGpuStall, 2, prefix + "long_scoreboard_not_issued"));
  bench.gpu.Write(test::TextRecord(wire::kGpuStall, 3, prefix + "selected"));
  bench.Launch(0, 10, bench.inner, 5);
  bench.gpu.Write(test::KernelRecord(5, 1, 1'000, 40'000'000));
  // 21 samples: 15 with a counter, 4 of driver kernels, 2 dropped; and one of an unseen kernel.
  bench.gpu.Write(test::WindowRecord(0, 50'000'000, 21, 4, 2));
  bench.gpu.Write(test::PcRecord(77, 1, 0x40, {{0, 1000}, {1, 10}, {2, 6}, {3, 4}}));
  bench.gpu.Write(test::PcRecord(77, 2, 0x50, {{1, 1}}));
  bench.Drain();
  bench.drain->Close(kNow, bench.rows, [](uint32_t, uint32_t) { return false; });
  CHECK(bench.Total("gpu_samples") == 14);
  CHECK(bench.Total("gpu_latency") == 6);
  CHECK(bench.Total("stall_memory") == 10);
  CHECK(bench.Total("stall_issue") == 4);
  CHECK(bench.Total("gpu_samples", ThreadId{1}) == 14);

  auto& quality = bench.profile.quality;
  bench.run.Publish(quality);
  CHECK(quality["gpu_pc_received"] == 19);
  CHECK(quality["gpu_pc_exact"] == 14);
  CHECK(quality["gpu_pc_unattributed"] == 5);
  CHECK(quality["gpu_pc_dropped"] == 2);
  CHECK(quality["gpu_pc_missing"] == 0);

  const EventTable pc = bench.run.TakePcRows();
  REQUIRE(pc.rows() == 3);
  CHECK(pc.column(column::kPcCubin)[0] == 1);
  CHECK(bench.profile.gpu.cubins.at(0).hash == 77);
  CHECK(pc.column(column::kPcOffset)[0] == 0x40);
  CHECK(pc.column(column::kPcSamples) == std::vector<int64_t>{10, 4, 1});
  CHECK(pc.column(column::kPcLatency) == std::vector<int64_t>{6, 0, 0});
  CHECK(bench.Path(pc.column(column::kPcNode)[0]) == "16 > 32 > axpy(float*)");
  CHECK(pc.column(column::kPcNode)[2] == 0);
  CHECK(bench.profile.Text(StringId{static_cast<uint32_t>(pc.column(column::kPcStall)[0])}) ==
        "long_scoreboard");
  CHECK(bench.run.TakePcRows().rows() == 0);
}

TEST_CASE("Notices are told once, facts become meta entries, devices are shared") {
  Bench bench;
  bench.gpu.Write(test::TextRecord(wire::kGpuNotice, wire::kNoticePcPermission, "no permission"));
  bench.gpu.Write(test::TextRecord(wire::kGpuNotice, wire::kNoticePcPermission, "again"));
  bench.gpu.Write(test::TextRecord(wire::kGpuFact, 0, "cupti=13.0"));
  bench.gpu.Write(test::TextRecord(wire::kGpuFact, 0, "../complete=x"));
  wire::GpuDeviceRecord device{};
  device.device = 3;
  device.compute_major = 9;
  device.driver = 13020;
  device.name_length = 4;
  device.uuid[0] = 0xab;
  for (int i = 0; i < 2; ++i) {
    bench.gpu.Write(test::MakeRecord(wire::kGpuDevice, device, test::TextBytes("H200")));
  }
  bench.gpu.Write(test::MakeRecord(wire::kGpuContext, wire::GpuContextRecord{{}, 1, 3}));
  bench.Drain();
  const auto messages = bench.run.TakeMessages();
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].text == "no permission");
  CHECK(bench.profile.meta["gpu_cupti"] == "13.0");
  CHECK(bench.profile.meta.size() == 1);
  REQUIRE(bench.profile.gpu.devices.size() == 1);
  const GpuDevice& row = bench.profile.gpu.devices[0];
  CHECK(bench.profile.Text(row.name) == "H200");
  CHECK(bench.profile.Text(row.driver) == "13.2");
  CHECK(bench.profile.Text(row.uuid) == "GPU-ab000000-0000-0000-0000-000000000000");
  CHECK(bench.profile.gpu.contexts.at(0).device == GpuDeviceId{1});
}

TEST_CASE("A stream that cannot be read is counted") {
  Bench bench;
  const wire::GpuRecord broken{wire::kGpuKernel, 0, 3};
  bench.gpu.Write(test::RawBytes(broken));
  bench.Drain();
  bench.run.Publish(bench.profile.quality);
  CHECK(bench.profile.quality["gpu_bad_records"] == 1);
}

TEST_CASE("Any bytes in the stream give a valid profile and no more than bounded work") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 30; ++round) {
    Bench bench;
    for (int i = 0; i < 50; ++i) bench.Launch(0, i, random() % 5, static_cast<uint32_t>(i));
    for (int i = 0; i < 500; ++i) {
      test::Bytes record(8 * (1 + random() % 20));
      for (std::byte& byte : record) {
        byte = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 3);
      }
      const wire::GpuRecord head{static_cast<uint16_t>(random() % 18), 0,
                                 static_cast<uint32_t>(record.size())};
      std::memcpy(record.data(), &head, sizeof head);
      bench.gpu.Write(record);
    }
    bench.Drain();
    bench.drain->Close(kNow, bench.rows, [](uint32_t, uint32_t) { return false; });
    bench.run.Publish(bench.profile.quality);
    REQUIRE(bench.profile.quality["gpu_bad_records"] > 0);
    int64_t sum = 0;
    for (const EventTable* table :
         {&bench.run.events().kernels, &bench.run.events().copies, &bench.run.events().sets}) {
      for (const int64_t ns : table->column(column::kKernelDuration)) sum += ns;
      for (const int64_t node : table->column(column::kKernelNode)) {
        REQUIRE(node >= 1);
        REQUIRE(node <= static_cast<int64_t>(bench.profile.nodes.size()));
      }
    }
    REQUIRE(bench.Total("gpu") == sum);
    for (const Value& value : bench.profile.values) {
      REQUIRE(value.self >= 0);
      REQUIRE(value.thread.value >= 1);
      REQUIRE(value.thread.value <= bench.profile.threads.size());
    }
    const auto& quality = bench.profile.quality;
    REQUIRE(quality.at("gpu_pc_received") ==
            quality.at("gpu_pc_exact") + quality.at("gpu_pc_proportional") +
                quality.at("gpu_pc_function_only") + quality.at("gpu_pc_unattributed"));
  }
}

}  // namespace
}  // namespace gprofx
