#include "core/cost/host_correction.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "core/model/profile.h"
#include "core/redact/redact.h"
#include "core/slice/part_builder.h"

namespace gprofx {
namespace {

constexpr HostCorrection kTwice{1'000'000, 900'000, 1'100'000};
constexpr HostCorrection kMeasured{31'000, 18'000, 44'000};

Profile WithMetrics() {
  Profile profile;
  profile.processes.push_back({});
  profile.threads.push_back({.process = ProcessId{1}, .cpu_ns = 3001, .lost_ns = 11});
  for (const char* name : {"cpu", "cpu_gil", "cpu_nogil"})
    profile.AddMetric(name, "ns", MetricKind::kSampled);
  for (const char* name :
       {"gpu_wait", "gpu", "gpu_estimated", "gpu_estimated_error", "gpu_overlapped"}) {
    profile.AddMetric(name, "ns", MetricKind::kExact);
  }
  profile.AddMetric("samples", "count", MetricKind::kSampled);
  profile.AddMetric("gpu_bytes", "bytes", MetricKind::kExact);
  return profile;
}

int64_t SelfOf(const Profile& profile, const char* metric) {
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == profile.FindMetric(metric)) sum += value.self;
  }
  return sum;
}

int64_t Sum(const std::vector<WallPart>& parts) {
  int64_t sum = 0;
  for (const WallPart& part : parts) sum += part.ns;
  return sum;
}

}  // namespace

TEST_CASE("a time of the host is divided by the ratio, and rounded to the nearest nanosecond") {
  CHECK(HostTime(kTwice, 10) == 5);
  CHECK(HostTime(kTwice, 11) == 6);
  CHECK(HostTime(kTwice, -11) == -6);
  CHECK(HostTime(kMeasured, 1'031'000'000) == 1'000'000'000);
  CHECK(HostTime(HostCorrection{-500'000, 0, 0}, std::numeric_limits<int64_t>::max()) ==
        std::numeric_limits<int64_t>::max());
  Profile profile;
  CHECK(HostTime(profile, 11) == 11);
  profile.corrected = kTwice;
  CHECK(HostTime(profile, 11) == 6);
}

TEST_CASE("times of the host are corrected, those of GPUs and counts are not") {
  Profile profile = WithMetrics();
  for (const Metric& metric : profile.metrics) {
    profile.AddSelf(profile.root(), ThreadId{1}, profile.FindMetric(metric.name), 1001);
  }
  Correct(kTwice, profile);
  for (const char* host : {"cpu", "cpu_gil", "gpu_wait"}) CHECK(SelfOf(profile, host) == 501);
  for (const char* other :
       {"gpu", "gpu_estimated", "gpu_estimated_error", "gpu_overlapped", "samples", "gpu_bytes"}) {
    INFO(other);
    CHECK(SelfOf(profile, other) == 1001);
  }
  CHECK(profile.threads[0].cpu_ns == 1501);
  CHECK(profile.threads[0].lost_ns == 6);
  CHECK(profile.corrected == kTwice);
  // What is said of the data is said of them as they were.
  CHECK(profile.quality.at("cpu_measured_ns") == 3001);
  CHECK(profile.quality.at("cpu_accounted_ns") == 1001);
  CHECK(profile.quality.at("lost_ns") == 11);
}

TEST_CASE("samples are divided by less where those of profiling are left out") {
  Profile profile = WithMetrics();
  for (const char* metric : {"cpu", "gpu_wait"})
    profile.AddSelf(profile.root(), ThreadId{1}, profile.FindMetric(metric), 900'000);
  // A million ns of CPU time, a tenth of it profiling: without recording it was 800,000.
  const HostCorrection correction{.ppm = 250'000, .left_out_ppm = 100'000};
  CHECK(SampledPpm(correction) == 125'000);
  Correct(correction, profile);
  CHECK(SelfOf(profile, "cpu") == 800'000);
  CHECK(SelfOf(profile, "gpu_wait") == 720'000);
  CHECK(SampledPpm({.ppm = 20'000, .left_out_ppm = 100'000}) == 0);  // never made longer
}

TEST_CASE("idle time of the GPU that is of profiling goes first") {
  const auto corrected = [](int64_t ppm) {
    Profile profile = WithMetrics();
    profile.gpu.wall = {{"gpu.compute", 500, 0},
                        {"idle.python", 300, 0},
                        {"idle.native", 100, 0},
                        {"idle.profiling", 100, 0}};
    Correct({.ppm = ppm}, profile);
    return profile.gpu.wall;
  };
  using Parts = std::vector<WallPart>;
  // 1,000 of wall time become 950, 900 and 800.
  CHECK(corrected(52'632) == Parts{{"gpu.compute", 500, 0},
                                   {"idle.python", 300, 0},
                                   {"idle.native", 100, 0},
                                   {"idle.profiling", 50, 0}});
  CHECK(corrected(111'111) ==
        Parts{{"gpu.compute", 500, 0}, {"idle.python", 300, 0}, {"idle.native", 100, 0}});
  CHECK(corrected(250'000) ==
        Parts{{"gpu.compute", 500, 0}, {"idle.python", 225, 0}, {"idle.native", 75, 0}});
}

TEST_CASE("what was all of the CPU time is all of it after it was corrected") {
  std::mt19937 random(7);
  Profile profile = WithMetrics();
  const MetricId cpu = profile.FindMetric("cpu"), held = profile.FindMetric("cpu_gil"),
                 released = profile.FindMetric("cpu_nogil");
  NodeId node = profile.root();
  for (uint32_t i = 1; i <= 500; ++i) {
    node = profile.Child(node, profile.Intern(Frame{.kind = FrameKind::kPython, .line = i}));
    const int64_t with = random() % 5000, without = random() % 5000;
    profile.AddSelf(node, ThreadId{1}, released, without);
    profile.AddSelf(node, ThreadId{1}, cpu, with + without);
    profile.AddSelf(node, ThreadId{1}, held, with);
  }
  Correct(kMeasured, profile);
  CHECK(SelfOf(profile, "cpu") == SelfOf(profile, "cpu_gil") + SelfOf(profile, "cpu_nogil"));
  for (const Value& value : profile.values) CHECK(value.self >= 0);
}

TEST_CASE("the wall time is divided, what GPUs did stays, and idle parts share the rest exactly") {
  Profile profile = WithMetrics();
  profile.gpu.wall = {{"gpu.compute", 400'000'003},
                      {"gpu.copy", 100'000'000},
                      {"idle.python", 300'000'001},
                      {"idle.sync.cuStreamSynchronize", 200'000'001},
                      {"idle.unexplained", 2}};
  profile.gpu.lanes = {{ProcessId{1}, GpuDeviceId{1}, 5, 1'000'000'012, 7, profile.gpu.wall}};
  Correct(kMeasured, profile);
  CHECK(Sum(profile.gpu.wall) == HostTime(kMeasured, 1'000'000'007));
  CHECK(profile.gpu.wall[0].ns == 400'000'003);
  CHECK(profile.gpu.wall[1].ns == 100'000'000);
  const double idle = static_cast<double>(Sum(profile.gpu.wall) - 500'000'003);
  CHECK(std::abs(static_cast<double>(profile.gpu.wall[2].ns) - idle * 0.6) < 3);
  CHECK(profile.gpu.lanes[0].parts == profile.gpu.wall);
  CHECK(profile.gpu.lanes[0].hidden_communication_ns == 7);
  CHECK(profile.gpu.lanes[0].end == 1'000'000'012);  // a place in time
}

TEST_CASE("a GPU that was busy longer than the corrected wall time leaves nothing idle") {
  Profile profile;
  profile.gpu.wall = {{"gpu.compute", 900}, {"idle.python", 60}, {"idle.unexplained", -3}};
  Correct(kTwice, profile);
  CHECK(profile.gpu.wall[0].ns == 900);
  CHECK(profile.gpu.wall[1].ns == 0);
  CHECK(profile.gpu.wall[2].ns == -3);  // of a broken file; views take it for 0
  profile.gpu.wall = {{"gpu.compute", 900}};
  Correct(kTwice, profile);
  CHECK(profile.gpu.wall[0].ns == 900);
}

TEST_CASE("a part of a corrected profile is corrected, and its whole is the corrected one") {
  Profile profile = WithMetrics();
  const MetricId cpu = profile.FindMetric("cpu"), gpu = profile.FindMetric("gpu");
  profile.AddSelf(profile.root(), ThreadId{1}, cpu, 1001);
  profile.AddSelf(profile.root(), ThreadId{1}, gpu, 1001);
  const auto part = [&] {
    PartValues values;
    values.values = {{profile.root(), ThreadId{1}, cpu, 101},
                     {profile.root(), ThreadId{1}, gpu, 101}};
    values.wall = {{"idle.python", 101}};
    return values;
  };
  Correct(kTwice, profile);
  ShowPart(part(), ShownPart{}, profile);
  CHECK(SelfOf(profile, "cpu") == 51);
  CHECK(SelfOf(profile, "gpu") == 101);
  CHECK(Sum(profile.gpu.wall) == 51);
  CHECK(profile.part->whole[cpu.index()] == 501);
  CHECK(profile.part->whole[gpu.index()] == 1001);
  CHECK(Redact(profile, "key").profile.corrected == kTwice);
}

}  // namespace gprofx
