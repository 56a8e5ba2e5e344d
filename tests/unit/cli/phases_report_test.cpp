// Phases, steps, parts and timelines: text against tests/data/report/gpu-steady-*.txt and their
// like, JSON, and what the options take.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/options/part.h"
#include "cli/report/number.h"
#include "core/events/marker_sums.h"
#include "core/slice/part_builder.h"
#include "core/views/steps.h"
#include "core/wall/timeline_bins.h"
#include "golden.h"
#include "gpu_profile.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

using nlohmann::json;

constexpr HostNs kMs = 1'000'000, kSecond = 1'000 * kMs;

// 40 steps of about 100 ms from 4 s on, the first two of 400 ms; the recording ends at 10 s.
Profile StepsProfile() {
  Profile profile = GpuProfile();
  StepTrain train{ProcessId{1}, StepSource::kOptimizer, 2, {}};
  HostNs now = 4 * kSecond;
  for (int i = 0; i < 40; ++i) {
    const HostNs begin = now;
    now += i < 2 ? 400 * kMs : 100 * kMs + i % 7 * kMs;
    train.steps.push_back({begin, now});
  }
  const HostNs warm = train.steps[2].begin;
  profile.phases.phases = {{PhaseKind::kStartUp, {0, 4 * kSecond}},
                           {PhaseKind::kWarmUp, {4 * kSecond, warm}},
                           {PhaseKind::kSteady, {warm, now}},
                           {PhaseKind::kEnd, {now, 10 * kSecond}}};
  profile.phases.trains.push_back(std::move(train));
  return profile;
}

Profile SteadyProfile() {
  Profile profile = StepsProfile();
  ShownPart part;
  part.phase = PhaseKind::kSteady;
  part.range = profile.phases.Find(PhaseKind::kSteady)->range;
  part.first_step = 3;
  part.steps = 38;
  PartValues values{profile.values, profile.gpu.wall, profile.gpu.lanes};
  ShowPart(std::move(values), part, profile);
  return profile;
}

Profile TimelineProfile() {
  Profile profile = StepsProfile();
  profile.gpu.contexts = {{ProcessId{1}, GpuDeviceId{1}, 1}};
  profile.gpu.streams = {{GpuContextId{1}, 7, 0}};
  Thread other = profile.threads.at(0);
  other.tid = 4800;
  other.name = profile.Intern("pt_autograd_0");
  profile.threads.insert(profile.threads.begin() + 1, other);
  return profile;
}

TimelineBins Bins(size_t count) {
  TimelineBinner binner({0, 10 * kSecond}, count);
  std::vector<PhaseOperation> work;
  for (int i = 0; i < 300; ++i) {
    const HostNs begin = 4 * kSecond + i * 15 * kMs;
    work.push_back({begin, begin, begin + (3 + i / 25) * kMs, ThreadId{1}, {}, GpuStreamId{1}});
  }
  binner.AddOperations(work);
  for (int i = 0; i < 5000; ++i) {
    SampleRow row;
    row.time = i * 2 * kMs;
    row.weight = static_cast<uint32_t>(i < 2000 ? 2 * kMs : kMs);
    row.thread = ThreadId{1};
    binner.AddSamples({&row, 1});
    if (i % 40 != 0) continue;
    row.thread = ThreadId{2};
    binner.AddSamples({&row, 1});
  }
  return std::move(binner).Finish();
}

// Three more streams, each busy for 2 us.
Profile StreamsProfile() {
  Profile profile = TimelineProfile();
  for (const uint32_t number : {13u, 14u, 15u}) {
    profile.gpu.streams.push_back({GpuContextId{1}, number, 0});
  }
  return profile;
}

TimelineBins StreamBins(size_t count) {
  TimelineBins bins = Bins(count);
  TimelineBinner binner({0, 10 * kSecond}, count);
  for (uint32_t i = 2; i <= 4; ++i) {
    const HostNs begin = i * kSecond;
    const PhaseOperation work{begin, begin, begin + 2000, ThreadId{1}, {}, GpuStreamId{i}};
    binner.AddOperations({&work, 1});
  }
  for (TimelineBins::Row& row : std::move(binner).Finish().rows)
    bins.rows.push_back(std::move(row));
  return bins;
}

// Numbered steps, and in each of them a range of another domain; a moment at the end.
TimelineBins MarkedBins(size_t count) {
  TimelineBins bins = Bins(count);
  static const std::string long_name = "a range whose name is as long as " + std::string(300, 'x');
  static Profile profile = TimelineProfile();
  std::vector<PhaseMarker> markers;
  std::vector<PhaseOperation> work;
  for (int i = 0; i < 40; ++i) {
    const HostNs begin = 4 * kSecond + i * 110 * kMs;
    const auto text = [&](const std::string& name) { return profile.Intern(name); };
    markers.push_back(
        {begin, begin + 100 * kMs, ThreadId{1}, text("step " + std::to_string(i)), {}});
    markers.push_back(
        {begin + 10 * kMs, begin + 40 * kMs, ThreadId{1}, text("forward"), text("model")});
    if (i == 3) markers.push_back({begin, begin + kMs, ThreadId{1}, text(long_name), {}});
    if (i == 39) markers.push_back({begin, begin, ThreadId{1}, text("done"), {}});
    work.push_back({begin + 20 * kMs, begin, begin + 50 * kMs, ThreadId{2}, {}, GpuStreamId{1}});
  }
  MarkerSums sums(profile, markers, bins.range);
  sums.AddOperations(work);
  for (int i = 0; i < 5000; ++i) {
    SampleRow row;
    row.time = i * 2 * kMs;
    row.weight = kMs;
    row.thread = ThreadId{1};
    sums.AddSamples({&row, 1});
  }
  bins.markers = std::move(sums).Finish(count);
  return bins;
}

}  // namespace

TEST_CASE("reports of a part are stable at 80 and 120 columns") {
  CheckGolden(StepsProfile(), "gpu-steps", {});
  CheckGolden(SteadyProfile(), "gpu-steady", {});
  CheckGolden(SteadyProfile(), "gpu-steady-threads", {"--threads"});
  CheckGolden(TimelineProfile(), "gpu-timeline", {"--timeline"}, &Bins);
  CheckGolden(TimelineProfile(), "gpu-timeline-1", {"--timeline", "--limit", "1"}, &Bins);
  CheckGolden(StreamsProfile(), "gpu-timeline-streams", {"--timeline"}, &StreamBins);
  CheckGolden(TrainingProfile(), "empty-timeline", {"--timeline"});
  CheckGolden(TimelineProfile(), "gpu-timeline-markers", {"--timeline"}, &MarkedBins);
  CheckGolden(TimelineProfile(), "gpu-markers", {"--markers"}, &MarkedBins);
  CheckGolden(TimelineProfile(), "gpu-markers-1", {"--markers", "--limit", "1"}, &MarkedBins);
  CheckGolden(TrainingProfile(), "empty-markers", {"--markers"});
}

TEST_CASE("JSON of phases, steps, the part and the timeline") {
  const auto report = [](const Profile& profile, std::vector<std::string> args,
                         const MakeBins& bins = nullptr) {
    args.push_back("--json");
    return json::parse(RenderView(profile, args, 120, bins));
  };
  const json all = report(StepsProfile(), {});
  CHECK(all["part"].is_null());
  CHECK(all["phases"].size() == 4);
  CHECK(all["phases"][2]["kind"] == "steady");
  CHECK(all["steps"]["count"] == 40);
  CHECK(all["steps"]["warm_up"] == 2);
  CHECK(all["steps"]["source"] == "optimizer");
  CHECK(all["steps"]["trains"][0]["steps"].size() == 40);
  CHECK(all["steps"]["trains"][0]["steps"][0] ==
        json::array({4 * kSecond, 4 * kSecond + 400 * kMs}));

  const json steady = report(SteadyProfile(), {"--tree"});
  CHECK(steady["part"]["phase"] == "steady");
  CHECK(steady["part"]["chosen"] == false);
  CHECK(steady["part"]["whole"]["cpu"] == steady["base"]);

  const json streams = report(StreamsProfile(), {"--timeline"}, &StreamBins);
  int64_t busy = 0;
  for (const json& row : streams["timeline"]["rows"]) {
    if (row["kind"] == "stream") busy += row["busy_ns"].get<int64_t>();
  }
  CHECK(streams["timeline"]["rows"].size() == 6);  // each on its own
  CHECK(busy == 2'550'000'000 + 3 * 2000);
  const json timeline = report(TimelineProfile(), {"--timeline"}, &Bins);
  CHECK(timeline["schema"] == "gprof-x.report.timeline/1");
  CHECK(timeline["timeline"]["bins"] == 1000);
  CHECK(timeline["timeline"]["rows"][0]["kind"] == "stream");
  CHECK(timeline["timeline"]["rows"][0]["percent"].size() == 1000);

  const json marked = report(TimelineProfile(), {"--markers"}, &MarkedBins);
  CHECK(marked["schema"] == "gprof-x.report.markers/1");
  CHECK(marked["markers"]["rows_total"] == 4);
  const json& step = marked["markers"]["rows"][0];
  CHECK(step["name"] == "step *");
  CHECK(step["count"] == 40);
  CHECK(step["total_ns"] == 40 * 100 * kMs);
  CHECK(step["mean_ns"] == 100 * kMs);
  CHECK(step["gpu_ns"] == 40 * 50 * kMs);
  CHECK(marked["markers"]["rows"][3]["moments"] == 1);
  const json with_lanes = report(TimelineProfile(), {"--timeline"}, &MarkedBins);
  CHECK(with_lanes["timeline"]["rows"][0]["kind"] == "marker");
  CHECK(with_lanes["timeline"]["rows"][0]["busy_ns"] == step["total_ns"]);
  CHECK(with_lanes["markers"] == marked["markers"]);

  const json none = report(TrainingProfile(), {});
  CHECK(none["steps"].is_null());
  CHECK(none["phases"] == json::array());
}

TEST_CASE("the numbers of steps") {
  StepTrain train{ProcessId{1}, StepSource::kMarkers, 1, {}};
  HostNs now = 0;
  for (int i = 0; i <= 100; ++i) {
    train.steps.push_back({now, now + (i == 0 ? 9999 : i)});
    now = train.steps.back().end;
  }
  const StepNumbers numbers = NumbersOf(train);
  CHECK(numbers.count == 101);
  CHECK(numbers.median_ns == 51);
  CHECK(numbers.p95_ns == 95);
  CHECK(numbers.mean_ns == 50);
  CHECK(StepsInWords(numbers) == "101 steps of 51 ns (p95 95 ns)");
  train.warm_up = 500;  // of a broken file
  CHECK(NumbersOf(train).median_ns == 0);
}

TEST_CASE("pauses between marked steps are no step time") {
  StepTrain train{ProcessId{1}, StepSource::kMarkers, 0, {}};
  for (int i = 0; i < 20; ++i) {
    const HostNs begin = i * 10'000'000 + (i < 10 ? 0 : 5'000'000'000);
    train.steps.push_back({begin, begin + 10'000'000});
  }
  CHECK(StepsInWords(NumbersOf(train)) == "20 steps of 10.0 ms (p95 10.0 ms)");
}

TEST_CASE("steps of a host that runs ahead have the length that they have on the mean") {
  StepTrain train{ProcessId{1}, StepSource::kMarkers, 0, {}};
  HostNs now = 0;
  for (int i = 0; i < 80; ++i) {
    train.steps.push_back({now, now + (i % 8 == 7 ? 130'000'000 : 10'000'000)});
    now = train.steps.back().end;
  }
  CHECK(StepsInWords(NumbersOf(train)) == "80 steps of 25.0 ms (mean; median 10.0 ms, p95 130 ms)");
}

TEST_CASE("what --range and --steps take") {
  const auto range = [](const char* text) {
    const Result<TimeRange> parsed = ParseTimeRange(text);
    return parsed ? *parsed : TimeRange{-1, -1};
  };
  CHECK(range("12s..15s") == TimeRange{12 * kSecond, 15 * kSecond});
  CHECK(range("12..15") == TimeRange{12 * kSecond, 15 * kSecond});
  CHECK(range("800ms..1.25s") == TimeRange{800 * kMs, 1250 * kMs});
  CHECK(range("..2min") == TimeRange{0, 120 * kSecond});
  CHECK(range("5us..9000ns") == TimeRange{5000, 9000});
  CHECK(range("1h..").begin == 3600 * kSecond);
  for (const char* bad :
       {"", "..", "5", "5s", "5s..4s", "5s..5s", "-1s..2s", "1e3..2e3", "1s...2s", "a..b", "1s..2x",
        "nan..1", "1..inf", "99999999999999999999h..", " 1..2", "0x1..2"}) {
    INFO(bad);
    CHECK(range(bad).begin == -1);
  }
  const auto steps = [](const char* text) {
    const Result<PartQuery::Steps> parsed = ParseSteps(text);
    return parsed ? std::pair(parsed->first, parsed->last) : std::pair(0u, 0u);
  };
  CHECK(steps("100..200") == std::pair(100u, 200u));
  CHECK(steps("7") == std::pair(7u, 7u));
  for (const char* bad :
       {"", "..", "1..", "..2", "0..1", "3..2", "1-2", "-1..2", "1..99999999999", "a"}) {
    INFO(bad);
    CHECK(steps(bad).first == 0);
  }
}

}  // namespace gprofx::testing
