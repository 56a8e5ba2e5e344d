#include "core/cost/own_cost.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace gprofx {
namespace {

using Quality = std::map<std::string, int64_t>;

// Batches of timed launches of one kind, on a machine whose speed changes from one to the next.
void AddTimed(Quality& quality, const std::string& kind, double mean_ns, int batches,
              std::mt19937& random) {
  std::normal_distribution<double> speed(1, 0.15);
  for (int i = 0; i < batches; ++i) {
    const double ns = mean_ns * std::max(0.3, speed(random));
    quality["gpu_" + kind + "_batches"] += 1;
    quality["gpu_" + kind + "_ns"] += std::llround(ns);
    quality["gpu_" + kind + "_squares"] += std::llround(ns * ns);
  }
}

// A run of ten seconds of CPU time, all of it by the thread that launches.
Quality LaunchBound() {
  return {{"cpu_measured_ns", 10'000'000'000},
          {"gpu_launching_cpu_ns", 10'000'000'000},
          {"handler_total_ns", 60'000'000},
          {"sample_interrupts_ns", 40'000'000},
          {"samples", 5'000},
          {"gpu_launches", 300'000},
          {"gpu_launch_total_ns", 150'000'000},
          {"gpu_launches_hooked", 260'000},
          {"gpu_level_traced_launches", 30'000},
          {"gpu_level_counted_ns", 9'000'000'000}};
}

}  // namespace

TEST_CASE("the interval holds what recording cost, in 95 of 100 runs whose cost is known") {
  std::mt19937 random(11);
  std::normal_distribution<double> after_samples(1.15, 0.15), after_launches(1.8, 0.6);
  int inside = 0, below_one = 0;
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    Quality quality = LaunchBound();
    const double bare = 3'000, hooked = 3'700, joined = 5'400, recorded = 7'200;
    AddTimed(quality, "bare", bare, 200, random);
    AddTimed(quality, "hooked", hooked, 200, random);
    AddTimed(quality, "joined", joined, 12, random);
    AddTimed(quality, "recorded", recorded, 40, random);
    const double launches_ns =
        260e3 * (hooked - bare) + 10e3 * (joined - bare) + 30e3 * (recorded - bare);
    const double added_samples = after_samples(random) * 0.1e9;
    const double added_launches = std::max(0.0, after_launches(random)) * launches_ns;
    const double truth =
        1 + added_samples / (10e9 - added_samples) + added_launches / (10e9 - added_launches);
    const OwnCost cost = OwnCostOf(CostPartsOf(quality));
    inside += cost.low <= truth && truth <= cost.high ? 1 : 0;
    below_one += cost.low < 1 ? 1 : 0;
    CHECK(cost.high - 1 < 1.7 * (cost.ratio - 1));  // an upper bound: launches are most of it
    CHECK(cost.high - 1 > 2 * (cost.low - 1));
  }
  CHECK(below_one == 0);
  CHECK(inside >= 930);
  CHECK(inside <= 975);  // no wider than it says
}

TEST_CASE("samples alone are the cost of a program without a GPU") {
  const Quality quality = {{"cpu_measured_ns", 10'000'000'000},
                           {"handler_total_ns", 60'000'000},
                           {"sample_interrupts_ns", 40'000'000},
                           {"samples", 10'000}};
  const OwnCost cost = OwnCostOf(CostPartsOf(quality));
  CHECK(cost.ratio == Approx(1.0116).margin(0.0005));
  CHECK(cost.low > 1.007);
  CHECK(cost.high < 1.017);
}

TEST_CASE("threads and programs cost at their begin and end, within their samples or not") {
  // 20,000 threads of 58 us took 1.23 times as long; 1,500 programs of 0.54 ms 1.53 times.
  const Quality threads = {{"cpu_measured_ns", 1'420'000'000},
                           {"handler_total_ns", 4'000'000},
                           {"sample_interrupts_ns", 1'000'000},
                           {"samples", 300},
                           {"own_cpu_ns", 170'000},
                           {"thread_own_ns", 190'000'000},
                           {"programs_loaded", 1}};
  const OwnCost of_threads = OwnCostOf(CostPartsOf(threads));
  CHECK(of_threads.low < 1.23);
  CHECK(of_threads.high > 1.23);
  CHECK(of_threads.low > 1.1);
  const Quality programs = {{"cpu_measured_ns", 1'240'000'000}, {"handler_total_ns", 2'000'000},
                            {"sample_interrupts_ns", 500'000},  {"samples", 58},
                            {"own_cpu_ns", 200'000'000},        {"programs_loaded", 1'500}};
  const OwnCost of_programs = OwnCostOf(CostPartsOf(programs));
  CHECK(of_programs.low < 1.53);
  CHECK(of_programs.high > 1.53);
  CHECK(of_programs.low > 1.2);
  CHECK(of_programs.high < 2);
}

TEST_CASE("interrupts that were not measured are not taken for nothing") {
  Quality quality = {
      {"cpu_measured_ns", 1'000'000'000}, {"handler_total_ns", 6'000'000}, {"samples", 900}};
  const OwnCost cost = OwnCostOf(CostPartsOf(quality));
  CHECK(cost.ratio > 1.012);
  CHECK(cost.low < 1.009);
  CHECK(cost.high > 1.02);
}

TEST_CASE("launches that were not timed cost what they cost elsewhere, and are not known well") {
  Quality quality = LaunchBound();
  const CostParts parts = CostPartsOf(quality);
  CHECK(parts.recorded.count == 30'000);
  CHECK(parts.hooked.count == 260'000);
  CHECK(parts.joined.count == 10'000);
  CHECK(parts.hooked.extra_ns.value == Approx(500));
  CHECK(parts.joined.extra_ns.value == Approx(2'000));
  CHECK(parts.recorded.extra_ns.value == Approx(5'000));
  CHECK(parts.recorded.extra_ns.error > 1'000);
  // Everything is on all the time.
  quality.erase("gpu_level_counted_ns");
  quality["gpu_launches_hooked"] = 0;
  quality["gpu_records"] = 300'100;
  CHECK(CostPartsOf(quality).recorded.count == 300'000);
  CHECK(OwnCostOf(CostPartsOf(quality)).ratio > 1.2);
}

TEST_CASE("the cost is never below nothing, whatever was timed") {
  std::mt19937 random(3);
  Quality quality = LaunchBound();
  AddTimed(quality, "bare", 5'000, 20, random);
  AddTimed(quality, "hooked", 3'000, 20, random);
  AddTimed(quality, "recorded", 2'000, 20, random);
  const OwnCost cost = OwnCostOf(CostPartsOf(quality));
  CHECK(cost.low >= 1);
  CHECK(cost.ratio >= cost.low);
  const OwnCost none = OwnCostOf(CostParts());
  CHECK(none.ratio == 1);
  CHECK(none.high == 1);
  Quality absurd = LaunchBound();
  absurd["handler_total_ns"] = absurd["gpu_launch_total_ns"] = INT64_MAX;
  CHECK(std::isfinite(OwnCostOf(CostPartsOf(absurd)).high));
}

TEST_CASE("where all was recorded it cost more than in the whole run") {
  std::mt19937 random(4);
  Quality quality = LaunchBound();
  AddTimed(quality, "bare", 3'000, 100, random);
  AddTimed(quality, "hooked", 3'700, 100, random);
  AddTimed(quality, "recorded", 7'000, 100, random);
  const CostParts parts = CostPartsOf(quality);
  CHECK(OwnCostOf(WhileRecording(parts)).ratio > OwnCostOf(parts).ratio + 0.05);
  CHECK(TimedRecordNs(quality) == Approx(4'000).epsilon(0.1));
  CHECK(TimedRecordNs(LaunchBound()) == 0);
}

}  // namespace gprofx
