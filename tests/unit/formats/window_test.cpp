// Profiles of the last minutes: what commits take out of the live file, and what is written of it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "core/steps/begin_at.h"
#include "formats/database/chunk_ring.h"
#include "formats/profile/profile_db.h"
#include "formats/profile/profile_set.h"
#include "test_support.h"

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000, kSecond = 1'000'000'000;

using test::FrameOf;
using test::TempFolder;

// A minute: `early` runs for 30 s, `late` for the rest, a sample each 10 ms; a kernel each 20 ms,
// for 5 ms; records are made all the time, in windows of 7 s.
struct Minute {
  Profile p;
  MetricId cpu, samples, gpu;
  NodeId early, late, kernel;

  Minute() {
    p.processes.push_back({1, 0, p.Intern("train.py"), {}});
    p.threads.push_back({ProcessId{1}, 1, p.Intern("main")});
    p.gpu.devices.emplace_back();
    p.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
    p.gpu.streams.push_back({GpuContextId{1}, 7, 0});
    p.gpu.configs.push_back({});
    cpu = p.AddMetric("cpu", "ns", MetricKind::kSampled);
    samples = p.AddMetric("samples", "count", MetricKind::kExact);
    gpu = p.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
    p.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
    early = p.Child(p.root(), FrameOf(p, FrameKind::kPython, "early"));
    late = p.Child(p.root(), FrameOf(p, FrameKind::kPython, "late"));
    kernel = p.Child(late, FrameOf(p, FrameKind::kPython, "launch"));
    p.gpu.wall.push_back({"gpu.compute", kSecond});
    p.gpu.lanes.push_back({ProcessId{1}, GpuDeviceId{1}, 0, 60 * kSecond, 0, {}});
    p.meta["start_realtime_ns"] = "1000";
  }

  void Second(int second, ProfileWriter& writer) {
    const HostNs begin = second * kSecond;
    std::vector<SampleRow> rows;
    EventTable kernels(Stream::kKernels), levels(Stream::kGpuLevels);
    for (HostNs time = begin; time < begin + kSecond; time += 10 * kMs) {
      SampleRow row;
      row.time = time;
      row.thread = ThreadId{1};
      row.node = second < 30 ? early : late;
      row.weight = 10 * kMs;
      rows.push_back(row);
      p.AddSelf(row.node, ThreadId{1}, cpu, 10 * kMs);
      p.AddSelf(row.node, ThreadId{1}, samples, 1);
      if (time % (20 * kMs) != 0) continue;
      kernels.Append(KernelEvent{time + 1000, 5 * kMs, time, ThreadId{1}, kernel, GpuStreamId{1},
                                 GpuConfigId{1}});
      p.AddSelf(kernel, ThreadId{1}, gpu, 5 * kMs);
    }
    if (second % 7 == 0) levels.Append(LevelEvent{begin, 7 * kSecond, ProcessId{1}, true, 350});
    writer.AppendSamples(rows);
    writer.AppendEvents(kernels);
    if (levels.rows() > 0) writer.AppendEvents(levels);
    p.meta["duration_ns"] = std::to_string(begin + kSecond);
    REQUIRE(writer.Commit(p).ok());
  }
};

// A live file of the last seconds.
Result<ProfileWriter> Keeping(const std::string& path, HostNs last) {
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  writer->KeepLast(last, size_t{1} << 30);
  return writer;
}

int64_t Sum(const Profile& profile, const char* metric, const char* name = nullptr) {
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    const Node& node = profile.node(value.node);
    const bool wanted =
        name == nullptr ||
        (node.frame &&
         profile.Text(profile.function(profile.frame(node.frame).function).name) == name);
    if (wanted && value.metric == profile.FindMetric(metric)) sum += value.self;
  }
  return sum;
}

void CheckWindow(const std::string& path, HostNs length) {
  const Result<Profile> read = LoadProfile(path);
  REQUIRE(read.ok());
  CHECK(read->meta.at("duration_ns") == std::to_string(length));
  CHECK(Sum(*read, "cpu") == length);
  CHECK(Sum(*read, "cpu", "early") == 0);
  CHECK(Sum(*read, "samples") == length / (10 * kMs));
  CHECK(Sum(*read, kMetricGpuOps) == length / (20 * kMs));
  CHECK(Sum(*read, kMetricGpu) == length / 4);
  const auto rows = test::AllSamples(path);
  REQUIRE(rows.size() == static_cast<size_t>(length / (10 * kMs)));
  CHECK(rows.front().time == 0);
  CHECK(rows.back().time == length - 10 * kMs);
  HostNs traced = 0;
  for (const WallPart& part : read->gpu.wall) traced += part.ns;
  CHECK(traced == length);
  // The window of levels that reaches over the begin is cut there.
  HostNs first = -1;
  const std::vector<size_t> columns{column::kLevelStart, column::kLevelDuration};
  REQUIRE(test::ReadEvents(path, Stream::kGpuLevels, columns, 0, INT64_MAX,
                           [&](const EventTable& levels) {
                             if (first < 0 && levels.rows() > 0) first = levels.column(0)[0];
                           })
              .ok());
  CHECK(first == 0);
}

TEST_CASE("old rows leave the live file, and it stays as large as what is kept") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Result<ProfileWriter> writer = Keeping(path, 10 * kSecond);
  Minute minute;
  for (int second = 0; second < 60; ++second) minute.Second(second, *writer);
  CHECK(writer->complete_from() > 45 * kSecond);
  CHECK(writer->complete_from() <= 50 * kSecond);
  HostNs oldest = INT64_MAX;
  for (const SampleRow& row : test::AllSamples(path)) oldest = std::min(oldest, row.time);
  CHECK(oldest > 40 * kSecond);
  CHECK(oldest <= 50 * kSecond);
}

TEST_CASE("what a reader has held up takes the place of what is old by then") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Result<ProfileWriter> writer = Keeping(path, 10 * kSecond);
  Minute minute;
  std::minstd_rand random;
  const auto append = [&](int second) {
    std::vector<SampleRow> rows;
    for (int i = 0; i < 5000; ++i) {
      SampleRow row;
      row.time = second * kSecond + i * (kSecond / 5000);
      row.thread = ThreadId{1};
      row.node = minute.early;
      row.weight = static_cast<int64_t>(random());
      rows.push_back(row);
    }
    writer->AppendSamples(rows);
  };
  for (int second = 0; second < 30; ++second) {
    append(second);
    REQUIRE(writer->Commit(minute.p).ok());
  }
  const auto before = std::filesystem::file_size(path);
  for (int second = 30; second < 38; ++second) append(second);
  REQUIRE(writer->Commit(minute.p).ok());
  CHECK(static_cast<double>(std::filesystem::file_size(path)) < 1.1 * static_cast<double>(before));
  CHECK(writer->complete_from() <= 28 * kSecond);
  append(38);
  REQUIRE(writer->Commit(minute.p).ok());
  CHECK(writer->complete_from() > 26 * kSecond);
}

TEST_CASE("a window of a recording is a profile of it: rows, values, wall time and length") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx";
  Result<ProfileWriter> writer = Keeping(path, 22 * kSecond);
  TempFolder elsewhere;
  Result<ProfileWriter> nowhere = ProfileWriter::Create(elsewhere / "p.gprofx");
  REQUIRE(nowhere.ok());
  Minute minute, other;  // a fork has a copy
  for (int second = 0; second < 60; ++second) {
    minute.Second(second, *writer);
    other.Second(second, *nowhere);
  }
  {
    // While the recording goes on, as another process would.
    Result<ProfileWriter> copy = ProfileWriter::Create(folder / "copy.gprofx");
    REQUIRE(copy.ok());
    bool ready = false;
    REQUIRE(
        copy->TakeWindow(*writer, other.p, 40 * kSecond, 60 * kSecond, [&] { ready = true; }).ok());
    CHECK(ready);
    CHECK(other.p.meta["start_realtime_ns"] == std::to_string(1000 + 40 * kSecond));
    REQUIRE(copy->Finish(other.p, {}).ok());
    CheckWindow(folder / "copy.gprofx", 20 * kSecond);
  }
  for (int second = 60; second < 70; ++second) minute.Second(second, *writer);
  REQUIRE(writer->TakeWindow(*writer, minute.p, 50 * kSecond, 70 * kSecond, [] {}).ok());
  REQUIRE(writer->Finish(minute.p, {}).ok());
  CheckWindow(path, 20 * kSecond);
  CHECK(folder.Names() == std::vector<std::string>{"copy.gprofx", "p.gprofx"});
}

TEST_CASE("the oldest chunks go first, by age and by size, and say from where on all is there") {
  using Ids = std::vector<int64_t>;
  ChunkRing ring(10 * kSecond, 1000);
  for (int id = 1; id <= 5; ++id) ring.Add(id, id * kSecond, 100);
  CHECK(ring.Old().empty());
  CHECK(ring.complete_from() == 0);
  ring.Add(6, 12 * kSecond, 100);
  CHECK(ring.Old() == Ids{1});
  CHECK(ring.Old() == Ids{1});  // until it is gone
  ring.Forget(1);
  CHECK(ring.complete_from() == kSecond + 1);
  ring.Add(7, 12 * kSecond, 700);
  CHECK(ring.Old() == Ids{2, 3});
  ring.Forget(2);
  CHECK(ring.bytes() == 1000);
  ring.Add(8, 13 * kSecond, 5000);
  CHECK(ring.Old() == Ids{4, 5, 6, 7});  // the last one stays, whatever it takes
  ring.Forget(4);
  CHECK(ring.bytes() == 5000);
  CHECK(ring.complete_from() == 12 * kSecond + 1);
}

TEST_CASE("times before the begin of a window become its begin") {
  Profile p;
  p.processes.push_back({1, 0, p.Intern("a"), {}});
  p.processes.back().start = 5;
  p.processes.push_back({2, 0, p.Intern("b"), {}});
  p.processes.back().start = 1;
  p.processes.back().end = 3;
  p.processes.push_back({3, 0, p.Intern("c"), {}});
  p.processes.back().start = 14;
  p.processes.back().end = 18;
  BeginAt(10, 30, p);
  CHECK(p.processes[0].start == 0);
  CHECK(p.processes[0].end == 0);  // it was not seen to end
  CHECK(p.processes[1].end == 1);
  CHECK(p.processes[2].start == 4);
  CHECK(p.processes[2].end == 8);
  CHECK(p.meta["duration_ns"] == "20");
}

}  // namespace
}  // namespace gprofx
