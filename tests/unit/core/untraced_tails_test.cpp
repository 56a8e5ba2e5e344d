#include "core/gpu/untraced_tails.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "core/gpu/gpu_timeline_builder.h"

using namespace gprofx;

namespace {

std::vector<std::pair<HostNs, HostNs>> Take(UntracedTails& tails, HostNs before = kLatest) {
  std::vector<std::pair<HostNs, HostNs>> ranges;
  for (const TimeRange& range : tails.Take(before)) ranges.emplace_back(range.begin, range.end);
  return ranges;
}

using Ranges = std::vector<std::pair<HostNs, HostNs>>;

}  // namespace

TEST_CASE("what was launched without records may run until the first kernel with one begins") {
  UntracedTails tails;
  tails.Begin(100);
  tails.Begin(1000);
  tails.AddKernel(50, 60);    // launched before: of neither
  tails.AddKernel(110, 400);  // records come in any order
  tails.AddKernel(105, 300);
  tails.AddKernel(1001, 1002);
  CHECK(Take(tails, 500) == Ranges{{100, 300}});
  CHECK(Take(tails) == Ranges{{1000, 1002}});
  CHECK(Take(tails).empty());
}

TEST_CASE("waiting for all work ends it, waiting for an event does not") {
  UntracedTails tails;
  tails.Begin(100);
  tails.AddWait("cuEventSynchronize", 120);
  tails.AddWait("cuCtxSynchronize", 150);
  tails.AddKernel(200, 210);
  tails.Begin(300);  // nothing is known of it
  tails.Begin(400);
  tails.AddKernel(405, 400);
  CHECK(Take(tails) == Ranges{{100, 150}});
}

TEST_CASE("a GPU that works off what was launched unseen is not idle") {
  Profile profile;
  profile.processes.push_back({100, 1});
  profile.threads.push_back({ProcessId{1}, 100});
  GpuTimeline timeline(profile);
  GpuTimelineBuilder builder(timeline, profile, ProcessId{1});
  const GpuKernelName name = timeline.NameKernel("axpy");
  const auto run = [&](uint32_t correlation, HostNs launch, HostNs start, HostNs end) {
    builder.AddLaunch({correlation, ThreadId{1}, profile.root(), launch});
    GpuKernel kernel;
    kernel.work = {correlation, start, end, 0, 0, 1, 7};
    kernel.name = name;
    kernel.config.function = name.function;
    builder.AddKernel(kernel, [](uint64_t) { return NodeId{}; });
  };
  builder.BeginLevel(0, true, true, 0);
  run(1, 10, 20, 100);
  builder.EndLevel(100, 1);
  builder.BeginLevel(100, true, false, 1);
  builder.EndLevel(200, 5);
  builder.BeginLevel(201, true, true, 5);
  run(6, 210, 290, 300);
  builder.Finish(400, 6);
  timeline.FinishWall(400);
  std::map<std::string, int64_t> wall;
  for (const WallPart& part : profile.gpu.wall) wall[part.name] = part.ns;
  CHECK(wall["gpu.compute"] == 90);
  CHECK(wall[std::string("idle.sync.") + kNoRecords] == 190);
}
