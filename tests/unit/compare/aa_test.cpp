#include "core/compare/statistics/aa.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace gprofx::compare {
namespace {

// Runs of one version; `steps`: from the middle on everything takes so much longer, as on a machine
// that changed meanwhile.
std::vector<Run> Runs(size_t count, double noise, double step = 0) {
  std::mt19937_64 random(count);
  std::normal_distribution<double> normal;
  std::vector<Run> runs;
  for (size_t i = 0; i < count; ++i) {
    Run& run = runs.emplace_back();
    run.metric = "cpu";
    for (int f = 0; f < 20; ++f) {
      Part part;
      part.kind = FrameKind::kPython;
      part.name = "f" + std::to_string(f);
      part.ns = 1e9 / (f + 1) * std::exp(noise * normal(random) + (i >= count / 2 ? step : 0));
      part.samples = part.ns / 1e6;
      run.total_ns += part.ns;
      run.functions[part.name] = part;
    }
    run.functions["tiny"].ns = 1;
    run.measured_ns = run.accounted_ns = run.total_ns;
  }
  return runs;
}

Settings Unpaired() {
  Settings settings;
  settings.paired = false;
  return settings;
}

}  // namespace

TEST_CASE("all splits where they are few, a thousand where they are many") {
  CHECK(MeasureAa(Runs(3, 0.01), Unpaired()).splits == 0);
  const Aa four = MeasureAa(Runs(4, 0.01), Unpaired());
  CHECK(four.splits == 6);
  CHECK(four.all);
  CHECK(four.base_runs == 2);
  const Aa five = MeasureAa(Runs(5, 0.01), Unpaired());
  CHECK(five.splits == 10);
  CHECK(five.base_runs + five.head_runs == 5);
  const Aa many = MeasureAa(Runs(16, 0.01), Unpaired());
  CHECK(many.splits == kMaxAaSplits);
  CHECK_FALSE(many.all);
  const Aa pairs = MeasureAa(Runs(10, 0.01), {});
  CHECK(pairs.splits == 32);
  CHECK(pairs.base_runs == 5);
  CHECK(MeasureAa(Runs(24, 0.01), {}).splits == kMaxAaSplits);
}

TEST_CASE("runs that are alike give few alarms, and small effects can be seen") {
  const Aa quiet = MeasureAa(Runs(10, 0.002), Unpaired());
  CHECK(quiet.splits == 252);
  CHECK(quiet.regressions <= 5);
  CHECK(quiet.rate.high < 0.06);
  CHECK(quiet.detectable < 0.03);
  const Aa noisy = MeasureAa(Runs(10, 0.05), Unpaired());
  CHECK(noisy.detectable > 2 * quiet.detectable);
  REQUIRE(!quiet.functions.empty());
  CHECK(quiet.functions[0].part.name == "f0");
  CHECK(quiet.functions[0].share == Approx(1 / 3.6).margin(0.02));
  for (const AaPart& part : quiet.functions) CHECK(part.part.name != "tiny");
}

TEST_CASE("a machine that changes between runs is seen in alarms of the unpaired splits only") {
  const std::vector<Run> runs = Runs(8, 0.001, 0.1);
  CHECK(MeasureAa(runs, Unpaired()).regressions >= 1);
  CHECK(MeasureAa(runs, {}).regressions == 0);
}

TEST_CASE("the same runs give the same answer") {
  const std::vector<Run> runs = Runs(16, 0.03);
  CHECK(MeasureAa(runs, Unpaired()).regressions == MeasureAa(runs, Unpaired()).regressions);
  CHECK(MeasureAa(runs, Unpaired()).detectable == MeasureAa(runs, Unpaired()).detectable);
}

TEST_CASE("the interval of a rate") {
  CHECK(RateInterval(0, 10, 0.95).low == 0);
  CHECK(RateInterval(0, 10, 0.95).high == Approx(0.3085).margin(0.001));
  CHECK(RateInterval(10, 10, 0.95).high == 1);
  CHECK(RateInterval(5, 100, 0.95).low == Approx(0.0164).margin(0.001));
  CHECK(RateInterval(5, 100, 0.95).high == Approx(0.1128).margin(0.001));
  CHECK(RateInterval(0, 0, 0.95).high == 1);
}

}  // namespace gprofx::compare
