// report --corrected: the line that says it, JSON, the lengths that are no values, and the errors.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/report/corrected.h"
#include "golden.h"
#include "gpu_profile.h"

namespace gprofx::testing {
namespace {

using nlohmann::json;

Profile Corrected() {
  Profile profile = GpuProfile();
  Correct({31'000, 22'000, 43'000}, profile);
  return profile;
}

// Of ten seconds of CPU time: samples took so much, launches were not timed.
Profile Recorded(int64_t sampling_ns, int64_t launches) {
  Profile profile = GpuProfile();
  profile.quality = {
      {"cpu_measured_ns", 10'000'000'000},     {"gpu_launching_cpu_ns", 10'000'000'000},
      {"handler_total_ns", sampling_ns},       {"gpu_launches", launches},
      {"gpu_launch_total_ns", 500 * launches}, {"gpu_host_is_limit", 1},
      {"gpu_launches_hooked", launches}};
  profile.meta["duration_ns"] = "12000000000";
  return profile;
}

json Json(const Profile& profile, std::vector<std::string> args = {}) {
  args.push_back("--json");
  return json::parse(RenderView(profile, args, 120));
}

std::string ErrorOf(const Profile& profile) {
  const Result<HostCorrection> correction = MeasuredCorrection(profile);
  return correction ? "" : correction.error().Text();
}

}  // namespace

TEST_CASE("corrected reports at 80 and 120 columns") {
  CheckGolden(Corrected(), "gpu-corrected", {"--corrected"});
  CheckGolden(Corrected(), "gpu-corrected-threads", {"--threads", "--corrected"});
}

TEST_CASE("JSON says by what times were divided, and all of it agrees") {
  const json raw = Json(GpuProfile()), json_of = Json(Corrected());
  CHECK(raw["corrected"].is_null());
  CHECK(json_of["corrected"]["ratio"].get<double>() == Approx(1.031));
  CHECK(json_of["corrected"]["low"].get<double>() == Approx(1.022));
  CHECK(json_of["corrected"]["high"].get<double>() == Approx(1.043));
  CHECK(json_of["gpu"]["time_ns"] == raw["gpu"]["time_ns"]);
  CHECK(json_of["gpu"]["wait_ns"].get<double>() ==
        Approx(raw["gpu"]["wait_ns"].get<double>() / 1.031));
  CHECK(json_of["base"].get<double>() == Approx(raw["base"].get<double>() / 1.031));
  CHECK(json_of["quality"]["measured_ns"] == raw["quality"]["measured_ns"]);
  CHECK(json_of["wall"]["busy_ns"] == raw["wall"]["busy_ns"]);
  const HostCorrection correction{31'000, 22'000, 43'000};
  CHECK(json_of["wall"]["total_ns"] ==
        HostTime(correction, raw["wall"]["total_ns"].get<int64_t>()));
  CHECK(json_of["wall"]["busy_ns"].get<int64_t>() + json_of["wall"]["idle_ns"].get<int64_t>() ==
        json_of["wall"]["total_ns"].get<int64_t>());
  for (const std::vector<std::string>& view :
       {std::vector<std::string>{"--by", "thread"}, {"--by", "module", "--limit", "1000"}}) {
    const json report = Json(Corrected(), view);
    int64_t sum = 0;
    for (const json& row : report["rows"]) sum += row["self"].get<int64_t>();
    CHECK(sum == json_of["base"].get<int64_t>());
  }
}

TEST_CASE("lengths of phases and steps are corrected, places in time are not") {
  Profile profile = Corrected();
  profile.phases.phases = {{PhaseKind::kSteady, {2'000'000'000, 4'062'000'000}}};
  StepTrain train{.process = ProcessId{1}};
  for (int i = 0; i < 2; ++i) {
    const HostNs begin = 2'000'000'000 + i * HostNs{1'031'000'000};
    train.steps.push_back({begin, begin + 1'031'000'000});
  }
  profile.phases.trains = {train};
  const json report = Json(profile);
  CHECK(report["phases"][0]["begin_ns"] == 2'000'000'000);
  CHECK(report["phases"][0]["end_ns"] == 4'062'000'000);
  CHECK(report["phases"][0]["length_ns"] == 2'000'000'000);
  CHECK(report["steps"]["median_ns"] == 1'000'000'000);
  CHECK(report["steps"]["trains"][0]["p95_ns"] == 1'000'000'000);
  CHECK(RenderView(profile, {}, 120).find("2 steps of 1.00 s (p95 1.00 s), steady 2.00 s") !=
        std::string::npos);
}

TEST_CASE("a timeline has corrected times of threads, and shares of the time as they were") {
  const MakeBins bins = [](size_t count) {
    TimelineBins time;
    time.range = {0, 1'000'000'000};
    time.bins = count;
    time.rows = {{.thread = ThreadId{1}, .busy_ns = 1'031'000, .bins = std::vector<int64_t>(count)},
                 {.stream = GpuStreamId{1},
                  .is_gpu = true,
                  .busy_ns = 1'031'000,
                  .bins = std::vector<int64_t>(count)}};
    time.markers = {{.name = "step",
                     .count = 1,
                     .total_ns = 2'062'000,
                     .mean_ns = 2'062'000,
                     .largest_ns = 2'062'000,
                     .cpu_ns = 1'031'000,
                     .gpu_ns = 1'031'000}};
    return time;
  };
  const json rows =
      json::parse(RenderView(Corrected(), {"--timeline", "--json"}, 120, bins))["timeline"]["rows"];
  for (const json& row : rows) {
    if (row["kind"] == "thread") CHECK(row["busy_ns"] == 1'000'000);
    if (row["kind"] == "stream") CHECK(row["busy_ns"] == 1'031'000);
  }
  const json marker = json::parse(
      RenderView(Corrected(), {"--markers", "--json"}, 120, bins))["markers"]["rows"][0];
  CHECK(marker["total_ns"] == 2'000'000);
  CHECK(marker["cpu_ns"] == 1'000'000);
  CHECK(marker["gpu_ns"] == 1'031'000);
}

TEST_CASE("times are corrected where it is known what recording cost") {
  const Result<HostCorrection> correction = MeasuredCorrection(Recorded(100'000'000, 20'000));
  REQUIRE(correction);
  CHECK(correction->ppm == Approx(13'400).margin(1'000));
  CHECK(correction->low_ppm < correction->ppm);
  CHECK(correction->high_ppm > correction->ppm);
}

TEST_CASE("where it is not --corrected says why, and what to do") {
  CHECK(ErrorOf(GpuProfile()).find("the recording does not contain it; record the program again") !=
        std::string::npos);
  // Launches are most of the cost: how far they cool the caches is not known well enough.
  CHECK(
      ErrorOf(Recorded(100'000'000, 300'000)).find("not known within a factor of two; its times") !=
      std::string::npos);
  Profile hidden = Recorded(100'000'000, 20'000);
  hidden.quality["gpu_host_is_limit"] = 0;
  CHECK(ErrorOf(hidden).find("not known within a factor of two; its times") != std::string::npos);
  CHECK(ErrorOf(Recorded(INT64_MAX, 1)).find("does not contain it") != std::string::npos);
  Profile waits = Recorded(100'000'000, 100'000);
  waits.meta["duration_ns"] = "60000000000";
  CHECK(ErrorOf(waits).find("not known within a factor of two") != std::string::npos);
  Profile graphs = Recorded(100'000'000, 100'000);
  graphs.quality["gpu_records"] = 500'000;
  graphs.quality["gpu_level_counted_ns"] = 1;
  graphs.quality["gpu_level_traced_launches"] = 1'000;
  CHECK(ErrorOf(graphs).find("does not contain it") != std::string::npos);
  Profile by_wall = Recorded(100'000'000, 100'000);
  by_wall.meta["clock"] = "wall";
  CHECK(ErrorOf(by_wall).find("by CPU time") != std::string::npos);
  Profile two = Recorded(100'000'000, 100'000);
  two.sources.resize(2);
  CHECK(ErrorOf(two).find("one recording") != std::string::npos);
}

}  // namespace gprofx::testing
