// Small tables of the GPU side: counters, names of kernels, PC samples.
#include <catch2/catch.hpp>
#include <memory>

#include "samplers/collector/gpu/counters.h"
#include "samplers/collector/gpu/kernel_names.h"
#include "samplers/collector/gpu/pc_table.h"

namespace gprofx {
namespace {

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

TEST_CASE("Launches are added up over the lines of all threads, whatever a target writes there") {
  const auto header = std::make_unique<wire::GpuHeader>();
  header->active = 1;
  header->counters[wire::kGpuLaunches] = 5;  // of threads without a line
  header->lines[0].launches = 7;
  header->lines[wire::kGpuLines - 1].launches = 30;
  CHECK(wire::LaunchesOf(*header) == 42);
  GpuCounters all;
  std::map<std::string, int64_t> quality;
  all.Add(*header);
  header->lines[1].launches = ~uint64_t{0};  // a hostile process
  CHECK(wire::LaunchesOf(*header) == ~uint64_t{0});
  PublishGpuCounters(all, quality);
  CHECK(quality["gpu_launches"] == 42);
  all.Add(*header);
  PublishGpuCounters(all, quality);
  CHECK(quality["gpu_launches"] == INT64_MAX);
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
