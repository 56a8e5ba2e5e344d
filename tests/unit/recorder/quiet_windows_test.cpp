#include "samplers/recorder/quiet_windows.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace gprofx {
namespace {

// A program whose speed wanders, and which samples slow down.
struct Run {
  explicit Run(uint64_t seed) : windows(seed), random(static_cast<uint32_t>(seed)) {}

  void For(HostNs end, double cost, bool levels_change = false) {
    std::normal_distribution<double> noise(0, scatter);
    while (windows.next() < end) {
      const HostNs until = windows.next() + static_cast<HostNs>(random() % 2'000'000);
      speed *= std::exp(noise(random) * 0.005 / scatter);
      const double slower = windows.quiet() ? 1 : cost;
      launches += static_cast<double>(until - now) * speed / slower * std::exp(noise(random));
      now = until;
      const QuietWindows::Look look{now, static_cast<int64_t>(launches), level};
      windows.End(look);
      if (levels_change && random() % 2 == 0) level = 3 - level;
      windows.Begin({now, static_cast<int64_t>(launches), level});
    }
  }

  QuietWindows windows;
  std::mt19937 random;
  HostNs now = 0;
  double launches = 0, speed = 4e-5;  // a nanosecond
  double scatter = 0.02;              // of their logarithm from window to window
  uint32_t level = 1;
};

TEST_CASE("quiet windows find what samples cost, and are a twentieth of the time") {
  int inside = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Run run(seed);
    run.For(120'000'000'000, 1.04);
    const PairedCost cost = run.windows.cost();
    CHECK(cost.pairs > 80);
    CHECK(cost.ratio == Approx(1.04).margin(0.02));
    if (cost.low <= 1.04 && 1.04 <= cost.high) ++inside;
    CHECK(run.windows.quiet_ns() > run.now / 30);
    CHECK(run.windows.quiet_ns() < run.now / 15);
  }
  CHECK(inside >= 33);
}

TEST_CASE("launches that come in bursts seem neither more nor fewer in quiet windows") {
  double sum = 0;
  constexpr int kRuns = 60;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    Run run(seed);
    run.scatter = 0.35;
    run.For(120'000'000'000, 1);
    sum += std::log(run.windows.cost().ratio);
  }
  CHECK(std::abs(sum / kRuns) < 0.015);
}

TEST_CASE("a run of some seconds has a few pairs already") {
  Run run(5);
  run.For(6'000'000'000, 1.04);
  CHECK(run.windows.cost().pairs >= 5);
  CHECK(run.windows.quiet_ns() < run.now / 7);
}

TEST_CASE("windows at different levels are not compared") {
  Run run(9);
  run.For(120'000'000'000, 1.04, true);
  const int64_t some = run.windows.cost().pairs;
  Run steady(9);
  steady.For(120'000'000'000, 1.04);
  CHECK(some < steady.windows.cost().pairs / 2);
}

TEST_CASE("windows are longer where a program launches a graph now and then") {
  Run run(11);
  run.speed = 2e-7;
  run.scatter = 0.001;
  run.For(120'000'000'000, 1.04);
  CHECK(run.windows.cost().pairs > 20);
  CHECK(run.windows.cost().ratio == Approx(1.04).margin(0.02));
}

TEST_CASE("windows are short again once a program launches much, and idle time leaves them so") {
  Run run(12);
  run.speed = 2e-7;
  run.For(20'000'000'000, 1.04);
  run.speed = 0;
  run.For(40'000'000'000, 1.04);
  run.speed = 4e-5;
  const int64_t before = run.windows.cost().pairs;
  run.For(100'000'000'000, 1.04);
  CHECK(run.windows.cost().pairs - before > 40);
}

TEST_CASE("a program that launches little gives no pair, and a cancelled window counts as quiet time") {
  Run run(4);
  run.speed = 1e-9;
  run.For(60'000'000'000, 1.04);
  CHECK(run.windows.cost().pairs == 0);
  while (!run.windows.quiet()) run.For(run.windows.next() + 1, 1.04);
  const int64_t before = run.windows.quiet_ns();
  run.windows.Cancel(run.now + 5'000'000);
  CHECK_FALSE(run.windows.quiet());
  CHECK(run.windows.quiet_ns() == before + 5'000'000);
}

}  // namespace
}  // namespace gprofx
