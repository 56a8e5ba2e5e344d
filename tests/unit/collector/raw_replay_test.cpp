#include "tests/unit/collector/raw_replay.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

#include "core/model/totals.h"

namespace gprofx {
namespace {

constexpr HostNs kNow = 5'000'000'000;

std::string Dump(const Profile& profile, const GpuRun& run) {
  std::string text;
  for (const Value& value : profile.values) {
    for (NodeId at = value.node; at; at = profile.node(at).parent) {
      const Frame& frame = profile.frame(profile.node(at).frame);
      text += std::to_string(static_cast<int>(frame.kind)) + ":";
      if (frame.function) text += profile.Text(profile.function(frame.function).name);
      text += " " + std::to_string(frame.address) + " < ";
    }
    text += profile.Text(profile.thread(value.thread).name);
    text +=
        " " + profile.metrics[value.metric.index()].name + " " + std::to_string(value.self) + "\n";
  }
  std::map<std::string, int64_t> quality;
  run.Publish(quality);
  for (const auto& [name, value] : quality) text += name + " " + std::to_string(value) + "\n";
  return text;
}

TEST_CASE("A raw recording that is played again gives the same profile") {
  const std::string path = "/tmp/gprofx-raw-" + std::to_string(getpid());
  std::string recorded;
  size_t recorded_rows = 0;
  {
    auto raw = RawRecording::Create(path);
    REQUIRE(raw);
    test::FakeRegion region;
    region.Begin(100, 1, "/bin/prog", std::string("prog\0", 5));
    Profile profile;
    profile.processes.push_back({100, 1});
    ModuleTable modules(profile);
    const Metrics metrics = AddMetrics(profile, false);
    GpuRun run(profile);
    ProcessDrain drain(profile, modules, metrics, region.View(), ProcessId{1}, false, &run);
    drain.SetRaw(raw->get());
    test::StreamWriter gpu(region.memory());
    gpu.header().active = 1;
    gpu.header().counters[wire::kGpuLaunches] = 41;
    const uint32_t module = region.AddModule("/lib/libx.so", 0xab);
    std::vector<SampleRow> rows;
    const auto close_perf = [](uint32_t, uint32_t) { return false; };
    gpu.Write(test::TextRecord(wire::kGpuName, 1, "_Z4axpyPf"));
    gpu.Write(
        test::TextRecord(wire::kGpuStall, 1, "smsp__pcsamp_warps_issue_stalled_long_scoreboard"));
    for (int round = 0; round < 40; ++round) {
      if (round % 10 == 0)
        region.BeginThread(0, 101 + round, ("t" + std::to_string(round)).c_str());
      const uint32_t node = region.AddNode(0, wire::MakeNative(module, 0x10 + round % 7));
      const auto correlation = static_cast<uint32_t>(round + 1);
      const HostNs at = round * 1'000'000;
      region.Push(0, at, node, correlation,
                  static_cast<uint16_t>(wire::kRecordLaunch | wire::kCallLaunch << 8));
      region.Push(0, at + 10, node, 1000);
      gpu.Write(test::KernelRecord(correlation, 1, static_cast<uint64_t>(at + 100),
                                   static_cast<uint64_t>(at + 900'000)));
      gpu.Write(
          test::WindowRecord(static_cast<uint64_t>(at), static_cast<uint64_t>(at + 1'000'000), 9));
      gpu.Write(test::PcRecord(7, 1, 0x40, {{1, 9}}));
      if (round % 10 == 9) region.EndThread(0, at + 20);
      drain.Drain(kNow + round, rows, close_perf);
    }
    drain.Close(kNow, rows, close_perf);
    (*raw)->Add(RawKind::kCubin, 0, 7, test::TextBytes("code"));
    CHECK((*raw)->ok());
    recorded = Dump(profile, run);
    recorded_rows = rows.size();
    CHECK_FALSE(RawRecording::Create(path));  // an existing file is left alone
  }
  const test::RawReplay replay(path);
  CHECK(Dump(replay.profile, replay.run) == recorded);
  CHECK(recorded.find("axpy(float*)") != std::string::npos);
  CHECK(replay.profile.threads.size() == 4);
  CHECK(recorded_rows >= 40);
  CHECK(replay.rows.size() == recorded_rows);
  CHECK(replay.cubins.at(7).size() == 4);
  CHECK(replay.counters.counters[wire::kGpuLaunches] == 41);
  unlink(path.c_str());
}

}  // namespace
}  // namespace gprofx
