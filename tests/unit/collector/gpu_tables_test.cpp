// Small tables of the GPU side: host classes, names of work, counters.
#include <catch2/catch.hpp>
#include <memory>

#include "samplers/collector/gpu/counters.h"
#include "core/host_class.h"
#include "samplers/collector/gpu/kernel_names.h"
#include "samplers/collector/gpu/pc_table.h"
#include "core/work_names.h"

namespace gprofx {
namespace {

struct Tree {
  NodeId Python(NodeId parent, const char* file) {
    Function function;
    function.name = profile.Intern("f");
    function.file = profile.Intern(file);
    Frame frame;
    frame.kind = FrameKind::kPython;
    frame.function = profile.Intern(function);
    return profile.Child(parent, profile.Intern(frame));
  }
  NodeId Native(NodeId parent, const char* module) {
    profile.modules.push_back({profile.Intern(module), {}, 0});
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.module = ModuleId{static_cast<uint32_t>(profile.modules.size())};
    return profile.Child(parent, profile.Intern(frame));
  }
  Profile profile;
};

TEST_CASE("A call path says what the CPU did") {
  Tree tree;
  HostClasses classes(tree.profile);
  const NodeId train = tree.Python(tree.profile.root(), "/home/u/train.py");
  const NodeId loader = tree.Python(train, "/x/torch/utils/data/dataloader.py");
  CHECK(classes.Of(train, kStateGilHeld) == HostClass::kPython);
  CHECK(classes.Of(loader, kStateGilHeld) == HostClass::kDataLoading);
  const NodeId wait = tree.Native(loader, "/lib/libc.so.6");
  CHECK(classes.Of(wait, kStateGilReleased) == HostClass::kDataLoading);
  const NodeId torch = tree.Native(train, "/x/libtorch_cpu.so");
  CHECK(classes.Of(torch, kStateGilReleased) == HostClass::kNative);
  CHECK(classes.Of(torch, kStateGilHeld) == HostClass::kPython);
  CHECK(classes.Of(tree.Native(torch, "/usr/lib/libcuda.so.580.1"), kStateGilReleased) ==
        HostClass::kCudaCall);
  CHECK(classes.Of(tree.Native(torch, "/x/libcudart.so.13"), kStateNoPython) ==
        HostClass::kCudaCall);
  const NodeId queue = tree.Python(train, "/usr/lib/python3.12/multiprocessing/queues.py");
  CHECK(classes.Of(queue, kStateGilHeld) == HostClass::kDataLoading);
  // A thread that waits does so where it was.
  Frame idle;
  idle.kind = FrameKind::kIdle;
  const FrameId idle_frame = tree.profile.Intern(idle);
  CHECK(classes.Of(tree.profile.Child(train, idle_frame), kStateIdle) == HostClass::kPython);
  CHECK(classes.Of(tree.profile.Child(torch, idle_frame), kStateIdle) == HostClass::kNative);
  CHECK(classes.Of(NodeId{}, 0) == HostClass::kNative);
}

TEST_CASE("Copies and memsets of every kind have a name") {
  CHECK(CopyName(1, 2, 3) == "copy host to device, pinned");
  CHECK(CopyName(2, 3, 1) == "copy device to host, pageable");
  CHECK(CopyName(8, 3, 3) == "copy device to device");
  CHECK(CopyName(10, 3, 3) == "copy device to another device");
  CHECK(CopyName(200, 9, 9) == "copy");
  CHECK(SetName(5) == "set managed memory");
  CHECK(SetName(99) == "set memory");
}

TEST_CASE("Counters of processes add up under their names, only where a GPU was used") {
  const auto header = std::make_unique<wire::GpuHeader>();
  GpuCounters all;
  std::map<std::string, int64_t> quality;
  header->counters[wire::kGpuLaunches] = 5;
  all.Add(*header);
  PublishGpuCounters(all, quality);
  CHECK(quality.empty());
  header->active = 1;
  header->ended = 1;
  header->launch_ns[wire::HandlerBucket(1000)] = 100;
  all.Add(*header);
  header->ended = 0;
  header->counters[wire::kGpuLaunches] = ~uint64_t{0};
  all.Add(*header);
  PublishGpuCounters(all, quality);
  CHECK(quality["gpu_launches"] == INT64_MAX);
  CHECK(quality["gpu_processes"] == 2);
  CHECK(quality["gpu_processes_ended"] == 1);
  CHECK(quality["gpu_launch_median_ns"] == Approx(1000).epsilon(0.13));
}

TEST_CASE("Equal kernel names have one key, and names do not grow without end") {
  Profile profile;
  GpuTimeline timeline(profile);
  KernelNames names(timeline);
  CHECK(names.Add(7, "_Z1fv"));
  CHECK(names.Add(9, "_Z1fv"));
  CHECK(names.Find(7).key == names.Find(9).key);
  CHECK(profile.Text(profile.function(names.Find(7).shown.function).name) == "f()");
  CHECK(names.Find(8).key == 0);
  CHECK(names.Find(8).shown.frame);
  const std::string big(60'000, 'x');
  size_t taken = 0;
  for (uint32_t i = 100; i < 2000; ++i) taken += names.Add(i, big + std::to_string(i)) ? 1 : 0;
  CHECK(taken < 1200);
  CHECK(taken > 1000);
}

TEST_CASE("Only what is new since the last commit is told") {
  PcTable table;
  PcRowKey key;
  key.cubin = CubinId{1};
  key.offset = 16;
  key.node = NodeId{3};
  CHECK(table.Add(key, 5, 2));
  EventTable out(Stream::kPcSamples);
  table.AppendDelta(out);
  CHECK(table.Add(key, 10, 0));
  table.AppendDelta(out);
  CHECK(out.column(column::kPcSamples) == std::vector<int64_t>{5, 10});
  CHECK(out.column(column::kPcLatency) == std::vector<int64_t>{2, 0});
  REQUIRE(table.rows().size() == 1);
  CHECK(table.rows()[0].samples == 15);
  table.AddName(CubinId{1}, FunctionId{2}, "first");
  table.AddName(CubinId{1}, FunctionId{2}, "second");
  CHECK(table.NameOf(CubinId{1}, FunctionId{2}) == "first");
  CHECK(table.NameOf(CubinId{2}, FunctionId{2}).empty());
}

}  // namespace
}  // namespace gprofx
