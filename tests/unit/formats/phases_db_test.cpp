// Phases, steps and the steady part in the file: written at the end, read back, found anew where a
// file has none, refused where they make no sense.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <tuple>

#include "core/slice/choose_part.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/part_events.h"
#include "formats/reading/part_read.h"
#include "formats/reading/phase_events.h"
#include "formats/reading/range_source.h"
#include "test_support.h"

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000;
constexpr int kSteps = 20;

using test::FrameOf;
using test::TempFolder;

// 20 steps of 10 ms after 100 ms, the first of them 50 ms; a sample each millisecond.
// `gaps`: records of GPU work are there for the first half of it only, and say so.
std::string WriteTraining(const TempFolder& folder, bool markers = false, bool gaps = false) {
  Profile p;
  p.processes.push_back({1, 0, p.Intern("train.py"), {}});
  p.threads.push_back({ProcessId{1}, 1, p.Intern("main")});
  p.gpu.devices.emplace_back();
  p.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  p.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  p.gpu.configs.push_back({});
  const MetricId cpu = p.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId gpu = p.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  const MetricId operations = p.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
  const NodeId main = p.Child(p.root(), FrameOf(p, FrameKind::kPython, "main"));
  const NodeId step =
      p.Child(main, FrameOf(p, FrameKind::kPython, "SGD.step", "/x/torch/optim/sgd.py"));
  const NodeId gemm = p.Child(main, FrameOf(p, FrameKind::kGpuKernel, "gemm"));
  const NodeId sgd = p.Child(step, FrameOf(p, FrameKind::kGpuKernel, "sgd"));
  EventTable kernels(Stream::kKernels), marks(Stream::kMarkers), levels(Stream::kGpuLevels);
  EventTable launches(Stream::kGpuLaunches);
  if (gaps) {
    for (const char* metric : {kMetricGpuEstimated, kMetricGpuOpsEstimated, kMetricGpuError}) {
      p.AddMetric(metric, "ns", MetricKind::kSampled);
    }
  }
  HostNs now = 100 * kMs;
  for (int i = 0; i < kSteps; ++i) {
    const HostNs begin = now;
    for (const NodeId node : {gemm, sgd}) {
      if (gaps) launches.Append(LaunchEvent{now, ThreadId{1}, p.node(node).parent});
      if (gaps && i >= kSteps / 2) {
        now += 5 * kMs;
        continue;
      }
      kernels.Append(
          KernelEvent{now + 1000, 2 * kMs, now, ThreadId{1}, node, GpuStreamId{1}, GpuConfigId{1}});
      p.AddSelf(node, ThreadId{1}, gpu, 2 * kMs);
      p.AddSelf(node, ThreadId{1}, operations, 1);
      now += i == 0 ? 25 * kMs : 5 * kMs;
    }
    if (markers && i % 2 == 1) {
      marks.Append(
          MarkerEvent{begin, now - begin, ThreadId{1}, p.Intern("step " + std::to_string(i)), {}});
    }
  }
  if (gaps) {
    const HostNs half = now - kSteps / 2 * 10 * kMs;
    levels.Append(LevelEvent{100 * kMs, half - 100 * kMs, ProcessId{1}, true, kSteps});
    levels.Append(LevelEvent{half, now - half, ProcessId{1}, false, kSteps});
    p.quality["gpu_level_traced_ns"] = half - 100 * kMs;
    p.quality["gpu_level_counted_ns"] = now - half;
  }
  now += 100 * kMs;
  std::vector<SampleRow> samples;
  for (HostNs time = kMs / 2; time < now; time += kMs) {
    SampleRow row;
    row.time = time;
    row.thread = ThreadId{1};
    row.node = main;
    row.weight = kMs;
    samples.push_back(row);
    p.AddSelf(main, ThreadId{1}, cpu, kMs);
  }
  p.gpu.wall.push_back({"gpu.compute", now});
  p.gpu.lanes.push_back({ProcessId{1}, GpuDeviceId{1}, 100 * kMs, now, 0, {}});
  p.meta["duration_ns"] = std::to_string(now);
  const std::string path = folder / "training.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer);
  writer->AppendSamples(samples);
  writer->AppendEvents(kernels);
  if (markers) writer->AppendEvents(marks);
  if (gaps) writer->AppendEvents(levels);
  if (gaps) writer->AppendEvents(launches);
  REQUIRE(writer->Finish(p, {}));
  return path;
}

int64_t Sum(const Profile& profile, const char* metric) {
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == profile.FindMetric(metric)) sum += value.self;
  }
  return sum;
}

std::vector<std::tuple<NodeId, ThreadId, MetricId, int64_t>> Cells(
    const std::vector<Value>& values) {
  std::vector<std::tuple<NodeId, ThreadId, MetricId, int64_t>> cells;
  for (const Value& value : values)
    cells.emplace_back(value.node, value.thread, value.metric, value.self);
  return cells;
}

TEST_CASE("phases, steps and the values of the steady part come back") {
  TempFolder folder;
  const std::string path = WriteTraining(folder);
  const Result<Profile> profile = LoadProfile(path);
  REQUIRE(profile);
  CHECK(profile->meta.at("phases") == "yes");
  REQUIRE(profile->phases.trains.size() == 1);
  CHECK(profile->phases.trains[0].steps.size() == kSteps);
  CHECK(profile->phases.trains[0].warm_up == 1);
  REQUIRE(profile->phases.Find(PhaseKind::kSteady));
  CHECK(profile->phases.Find(PhaseKind::kSteady)->range.begin == 150 * kMs);

  const Result<Profile> part = LoadPart(path, {});
  REQUIRE(part);
  REQUIRE(part->part);
  CHECK(part->part->phase == PhaseKind::kSteady);
  CHECK(Sum(*part, kMetricGpuOps) == 2 * (kSteps - 1));
  CHECK(Sum(*part, kMetricGpu) == 2 * (kSteps - 1) * 2 * kMs);
  CHECK(part->part->whole[0] == Sum(*profile, "cpu"));

  SECTION("and are what is added up from the events") {
    const TimeRange steady = profile->phases.Find(PhaseKind::kSteady)->range;
    PartQuery inner;
    inner.range = TimeRange{steady.begin, steady.end - 1};  // not what is stored
    const Result<Profile> other = LoadPart(path, inner);
    REQUIRE(other);
    CHECK(Sum(*other, kMetricGpuOps) == Sum(*part, kMetricGpuOps));
    CHECK(Sum(*other, "cpu") == Sum(*part, "cpu"));
    CHECK(other->gpu.wall.size() == part->gpu.wall.size());
  }
  SECTION("a file without them has them found") {
    test::Forge(path,
                "DELETE FROM meta WHERE name='phases'; DROP TABLE phase; DROP TABLE step;"
                "DROP TABLE step_train; DROP TABLE steady_wall_part; DROP TABLE steady_lane;"
                "DROP TABLE steady_lane_part; DELETE FROM chunk WHERE stream=11");
    const Result<Profile> found = LoadPart(path, {});
    REQUIRE(found);
    CHECK(found->phases == part->phases);
    CHECK(Sum(*found, kMetricGpu) == Sum(*part, kMetricGpu));
    CHECK(found->gpu.wall == part->gpu.wall);
    CHECK(found->gpu.lanes == part->gpu.lanes);
    REQUIRE(found->values.size() == part->values.size());
  }
  SECTION("everything can be had") {
    const Result<Profile> all = LoadPart(path, {.all = true});
    REQUIRE(all);
    CHECK_FALSE(all->part);
    CHECK(Sum(*all, "cpu") == Sum(*profile, "cpu"));
  }
}

TEST_CASE("markers come back and are what steps are made of") {
  TempFolder folder;
  const std::string path = WriteTraining(folder, true);
  const Result<Profile> profile = LoadProfile(path);
  REQUIRE(profile);
  REQUIRE(profile->phases.trains.size() == 1);
  CHECK(profile->phases.trains[0].source == StepSource::kMarkers);
  CHECK(profile->phases.trains[0].steps.size() == kSteps / 2);
}

// But for the end of the last one, which nobody saw.
void CheckSteps(const Phases& found, const std::vector<TimeRange>& steps) {
  REQUIRE(found.trains.size() == 1);
  REQUIRE(found.trains[0].steps.size() == steps.size());
  for (size_t i = 0; i + 1 < steps.size(); ++i) CHECK(found.trains[0].steps[i] == steps[i]);
}

TEST_CASE(
    "steps of a recording with gaps are those of its launches, however many are held at once") {
  TempFolder folder;
  const std::string path = WriteTraining(folder, false, true);
  const Result<Profile> profile = LoadProfile(path);
  REQUIRE(profile);
  REQUIRE(profile->phases.trains.size() == 1);
  const std::vector<TimeRange> steps = profile->phases.trains[0].steps;
  CHECK(steps.size() == kSteps);
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  REQUIRE(reader);
  // In the middle of the first window, at its end, never.
  for (const int64_t most : {int64_t{kSteps / 2 + 4}, int64_t{kSteps}, int64_t{1'000'000}}) {
    Result<PartEvents> events = ReadPartEvents(*reader, *profile);
    REQUIRE(events);
    const Result<Phases> found = FindPhasesOf(*reader, *profile, *events, most);
    REQUIRE(found);
    CheckSteps(*found, steps);
  }
}

TEST_CASE("work that is too much to be held is read again, and says the same") {
  TempFolder folder;
  for (const bool gaps : {false, true}) {
    const std::string path = WriteTraining(folder, false, gaps);
    const Result<Profile> profile = LoadProfile(path);
    REQUIRE(profile);
    const Result<ProfileReader> reader = ProfileReader::Open(path);
    REQUIRE(reader);
    Result<PartEvents> held = ReadPartEvents(*reader, *profile),
                       read = ReadPartEvents(*reader, *profile, 3);
    REQUIRE((held && read));
    CHECK(held->has_operations);
    CHECK(held->events.operations.size() == (gaps ? kSteps : 2 * kSteps));
    CHECK_FALSE(read->has_operations);
    CHECK(read->events.operations.empty());
    for (const TimeRange range :
         {TimeRange{0, EndOfRecording(*profile)}, TimeRange{151 * kMs, 222 * kMs}}) {
      const Result<PartValues> once = AddUpPart(*reader, *profile, *held, range);
      const Result<PartValues> sliced = AddUpPart(*reader, *profile, *read, range, 3);
      REQUIRE((once && sliced));
      CHECK(Cells(sliced->values) == Cells(once->values));
      CHECK(sliced->wall == once->wall);
      CHECK(sliced->lanes == once->lanes);
      CHECK(sliced->records == once->records);
    }
    const std::vector<TimeRange> steps = profile->phases.trains.at(0).steps;
    for (const int64_t most : {13, 20, 1000}) {
      Result<PartEvents> events = ReadPartEvents(*reader, *profile, 3);
      REQUIRE(events);
      const Result<Phases> found = FindPhasesOf(*reader, *profile, *events, most);
      REQUIRE(found);
      CheckSteps(*found, steps);
      if (most == 13 && !gaps) CHECK(events->events.operations.size() < 2 * kSteps);
    }
  }
}

TEST_CASE("of a long recording its middle is looked at") {
  TempFolder folder;
  Result<ProfileSet> set = ProfileSet::Open({WriteTraining(folder)});
  REQUIRE(set);
  Profile& profile = set->profile();
  CHECK(OperationsIn(profile) == 2 * kSteps);
  CHECK_FALSE(MiddlePart(profile, 2 * kSteps));
  PartQuery asked;
  const Result<RangeSource> some = MiddleOf(*set, profile, 10, asked);
  REQUIRE(some);
  REQUIRE(asked.steps);
  CHECK(asked.steps->first > 1);  // the first one is no steady step
  const uint32_t count = asked.steps->last - asked.steps->first + 1;
  CHECK(count >= 3);
  CHECK(count <= 11);
  const uint32_t before = asked.steps->first - 2, after = kSteps - asked.steps->last;
  CHECK(std::max(before, after) - std::min(before, after) <= 1);

  PartQuery all{.all = true}, chosen{.steps = PartQuery::Steps{1, 20}};
  CHECK(MiddleOf(*set, profile, 10, all));
  CHECK(MiddleOf(*set, profile, 10, chosen));
  CHECK_FALSE(all.IsPart());
  CHECK(chosen.steps->last == 20);

  profile.phases = {};  // without steps it is a while
  const std::optional<PartQuery> middle = MiddlePart(profile, 10);
  REQUIRE((middle && middle->range));
  const HostNs end = EndOfRecording(profile);
  CHECK(std::llabs(middle->range->end - middle->range->begin - end / 4) < kMs);
  CHECK(std::llabs(middle->range->begin - (end - middle->range->end)) < kMs);

  const auto rows = [&](const ProfileSource& source, Stream stream) {
    static constexpr std::array<size_t, 1> kFirst = {0};
    const Result<int64_t> count_of =
        source.Events(stream, kFirst, kEarliest, kLatest, [](const EventTable&) {});
    REQUIRE(count_of);
    return *count_of;
  };
  const TimeRange range{150 * kMs, 170 * kMs};
  CHECK(rows(RangeSource(*set, range, 0), Stream::kKernels) == 4);
  CHECK(rows(RangeSource(*set, range, 10 * kMs), Stream::kKernels) == 6);
  CHECK(rows(RangeSource(*set, std::nullopt), Stream::kKernels) == 2 * kSteps);
}

TEST_CASE("a part of a recording with gaps is estimated, and says from how much") {
  TempFolder folder;
  const std::string path = WriteTraining(folder, true, true);
  const Result<Profile> steady = LoadPart(path, {});
  REQUIRE(steady);
  REQUIRE(steady->part);
  CHECK(steady->part->phase == PhaseKind::kSteady);
  // 10 ms a step; of 20 steps every second one has a marker, and the first of all is longer.
  const TimeRange range = steady->part->range;
  CHECK(range.end == 340 * kMs);
  REQUIRE(steady->part->records);
  CHECK(steady->part->records->counted_ns == 100 * kMs);
  const int64_t recorded = Sum(*steady, kMetricGpu);
  CHECK(recorded == Sum(*steady, kMetricGpuOps) * 2 * kMs);
  const auto& made = *steady->part->records;
  CHECK(made.traced_ns == 240 * kMs - range.begin);
  // Two launches of 2 ms in each step, and one row for each.
  const int64_t steps = (range.end - range.begin) / (10 * kMs);
  CHECK(Sum(*steady, kMetricGpuOpsEstimated) == 2 * steps);
  CHECK(Sum(*steady, kMetricGpuEstimated) == 2 * steps * 2 * kMs);
  CHECK(Sum(*steady, kMetricGpuError) == 0);

  PartQuery second;
  second.range = TimeRange{240 * kMs, 340 * kMs};
  const Result<Profile> unknown = LoadPart(path, second);
  REQUIRE(unknown);
  CHECK(Sum(*unknown, kMetricGpuEstimated) == 0);
  CHECK(unknown->part->records == RecordsMade{kSteps, 0, 0, 100 * kMs});

  SECTION("what is stored is what is added up") {
    test::Forge(path,
                "DELETE FROM meta WHERE name='phases'; DROP TABLE phase; DROP TABLE step;"
                "DROP TABLE step_train; DELETE FROM chunk WHERE stream=11");
    const Result<Profile> found = LoadPart(path, {});
    REQUIRE(found);
    CHECK(found->part->records == steady->part->records);
    CHECK(Sum(*found, kMetricGpuEstimated) == Sum(*steady, kMetricGpuEstimated));
    CHECK(found->gpu.wall == steady->gpu.wall);
  }
  SECTION("an older file does not know where its gaps are") {
    test::Forge(path, "DELETE FROM chunk WHERE stream=12");
    const Result<Profile> asked = LoadPart(path, second);
    REQUIRE_FALSE(asked);
    CHECK(asked.error().what.find("part of the time") != std::string::npos);
    const Result<Profile> whole = LoadPart(path, {});
    REQUIRE(whole);
    CHECK_FALSE(whole->part);
  }
}

TEST_CASE("a timeline is read of all or of the part") {
  TempFolder folder;
  const std::string path = WriteTraining(folder);
  Result<ProfileSet> reader = ProfileSet::Open({path});
  REQUIRE(reader);
  Profile* const profile = &reader->profile();
  const int64_t gpu = Sum(*profile, kMetricGpu);
  const auto busy = [](const TimelineBins& bins, bool is_gpu) {
    int64_t sum = 0;
    for (const TimelineBins::Row& row : bins.rows) sum += row.is_gpu == is_gpu ? row.busy_ns : 0;
    return sum;
  };
  const Result<TimelineBins> whole = ReadTimeline(*reader, *profile, 33);
  REQUIRE(whole);
  CHECK(busy(*whole, true) == gpu);
  REQUIRE(SelectPart(*reader, {}, *profile));
  const Result<TimelineBins> part = ReadTimeline(*reader, *profile, 33);
  REQUIRE(part);
  CHECK(part->range == profile->part->range);
  CHECK(busy(*part, true) == gpu - 4 * kMs);
  CHECK(busy(*part, false) == part->range.end - part->range.begin);
}

TEST_CASE("phases and steps that make no sense are refused") {
  for (const std::string sql :
       {"UPDATE phase SET kind=0", "UPDATE phase SET kind=256",
        "UPDATE phase SET end_ns=begin_ns-1", "UPDATE phase SET begin_ns=0",
        "UPDATE phase SET id=id+10", "UPDATE step_train SET process=2",
        "UPDATE step_train SET source=0", "UPDATE step_train SET warm_up=21",
        "UPDATE step_train SET warm_up=-1", "UPDATE step SET train=0", "UPDATE step SET train=2",
        "UPDATE step SET begin_ns=-1", "UPDATE step SET end_ns=begin_ns-1", "DELETE FROM step",
        "UPDATE step SET begin_ns=0 WHERE id=5"}) {
    TempFolder folder;
    const std::string path = WriteTraining(folder);
    test::Forge(path, sql);
    INFO(sql);
    CHECK_FALSE(LoadProfile(path).ok());
  }
  for (const std::string sql :
       {"UPDATE steady_wall_part SET ns=-1", "UPDATE steady_lane SET device=9",
        "UPDATE steady_lane_part SET lane=7", "UPDATE chunk SET data=zeroblob(99) WHERE stream=11",
        "UPDATE chunk SET codec=2 WHERE stream=11"}) {
    TempFolder folder;
    const std::string path = WriteTraining(folder);
    test::Forge(path, sql);
    INFO(sql);
    CHECK(LoadProfile(path).ok());
    CHECK_FALSE(LoadPart(path, {}).ok());
    CHECK(LoadPart(path, {.all = true}).ok());
  }
}

}  // namespace
}  // namespace gprofx
