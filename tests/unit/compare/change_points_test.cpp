// Simulated histories whose changes are known.
#include "core/compare/statistics/change_points.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

namespace gprofx::compare {
namespace {

std::vector<double> Noise(size_t count, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

void AddStep(std::vector<double>& values, size_t from, double size) {
  for (size_t i = from; i < values.size(); ++i) values[i] += size;
}

}  // namespace

TEST_CASE("a history without a change has no change point in 99 of 100 cases") {
  std::mt19937_64 random(1);
  for (const size_t count : {6, 10, 20, 50, 100}) {
    constexpr int kJobs = 1000;
    int alarms = 0;
    for (int i = 0; i < kJobs; ++i)
      alarms += FindChangePoints(Noise(count, random)).empty() ? 0 : 1;
    if (getenv("GPROFX_FIGURES") != nullptr)
      WARN(count << " values: " << alarms << " false of " << kJobs);
    CHECK(alarms <= kJobs / 100);
  }
}

TEST_CASE("a step of three times the noise is found where it is") {
  std::mt19937_64 random(2);
  for (const size_t at : {8, 20, 32}) {
    constexpr int kJobs = 500;
    int found = 0, near = 0, exact = 0;
    for (int i = 0; i < kJobs; ++i) {
      std::vector<double> values = Noise(40, random);
      AddStep(values, at, 3);
      const std::vector<ChangePoint> points = FindChangePoints(values);
      if (points.size() != 1) continue;
      ++found;
      near += points[0].at + 1 >= at && points[0].at <= at + 1 ? 1 : 0;
      exact += points[0].at == at ? 1 : 0;
      CHECK(points[0].after - points[0].before == Approx(3).margin(2));
      CHECK(points[0].p <= 0.01);
    }
    if (getenv("GPROFX_FIGURES") != nullptr)
      WARN("at " << at << ": " << found << " found, " << near << " within one, " << exact
                 << " exact of " << kJobs);
    CHECK(found >= kJobs * 97 / 100);
    CHECK(near >= kJobs * 90 / 100);
    CHECK(exact >= kJobs * 70 / 100);
  }
}

TEST_CASE("a step up and down again is two changes") {
  std::mt19937_64 random(3);
  constexpr int kJobs = 500;
  int both = 0;
  for (int i = 0; i < kJobs; ++i) {
    std::vector<double> values = Noise(60, random);
    AddStep(values, 20, 4);
    AddStep(values, 40, -4);
    const std::vector<ChangePoint> points = FindChangePoints(values);
    both += points.size() == 2 && points[0].at >= 18 && points[0].at <= 22 && points[1].at >= 38 &&
                    points[1].at <= 42
                ? 1
                : 0;
  }
  if (getenv("GPROFX_FIGURES") != nullptr) WARN("two steps: " << both << " of " << kJobs);
  CHECK(both >= kJobs * 95 / 100);
}

TEST_CASE("an outlier is no change") {
  std::mt19937_64 random(4);
  constexpr int kJobs = 500;
  int alarms = 0;
  for (int i = 0; i < kJobs; ++i) {
    std::vector<double> values = Noise(30, random);
    values[10 + static_cast<size_t>(i) % 20] += 20;
    alarms += FindChangePoints(values).empty() ? 0 : 1;
  }
  if (getenv("GPROFX_FIGURES") != nullptr) WARN("outlier: " << alarms << " of " << kJobs);
  CHECK(alarms <= kJobs / 50);
}

TEST_CASE("a drift is told as steps in its direction") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> values = Noise(60, random);
    for (size_t j = 0; j < values.size(); ++j) values[j] += 0.1 * static_cast<double>(j);
    const std::vector<ChangePoint> points = FindChangePoints(values);
    REQUIRE(!points.empty());
    CHECK(points.front().before < points.back().after);
    for (const ChangePoint& point : points) CHECK(point.before < point.after);
  }
}

TEST_CASE("few, equal and broken values") {
  CHECK(FindChangePoints({}).empty());
  CHECK(FindChangePoints(std::vector<double>{1, 2, 3, 4, 5}).empty());
  CHECK(FindChangePoints(std::vector<double>(20, 7)).empty());
  CHECK(FindChangePoints(std::vector<double>{1, 1, 1, NAN, 2, 2, 2, 2}).empty());
  // Values without any noise: the step is certain.
  const std::vector<ChangePoint> points =
      FindChangePoints(std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2});
  REQUIRE(points.size() == 1);
  CHECK(points[0].at == 4);
  CHECK(points[0].p == 0);
}

}  // namespace gprofx::compare
