#include "core/compare/statistics/warm_up.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace gprofx::compare {
namespace {

struct Times {
  std::vector<double> base, head;
};

// `warm_up`: how much longer the first pairs take.
Times Make(size_t pairs, std::vector<double> warm_up, std::mt19937_64& random, double noise = 0.01,
           double change = 0) {
  std::normal_distribution<double> normal;
  Times times;
  for (size_t i = 0; i < pairs; ++i) {
    const double more = i < warm_up.size() ? warm_up[i] : 0;
    times.base.push_back(10 * std::exp(more + noise * normal(random)));
    times.head.push_back(10 * std::exp(more + change + noise * normal(random)));
  }
  return times;
}

}  // namespace

TEST_CASE("steady pairs stay, whatever changed between their sides") {
  std::mt19937_64 random(1);
  for (const double noise : {0.005, 0.03}) {
    for (const double change : {0.0, 0.5}) {
      constexpr int kJobs = 1000;
      int dropped = 0;
      for (int i = 0; i < kJobs; ++i) {
        const Times times = Make(5, {}, random, noise, change);
        dropped += WarmUpPairs(times.base, times.head) > 0 ? 1 : 0;
      }
      if (getenv("GPROFX_FIGURES") != nullptr) WARN(noise << ": " << dropped << " of " << kJobs);
      CHECK(dropped <= kJobs * 15 / 1000);
    }
  }
}

TEST_CASE("first pairs that take longer are dropped") {
  std::mt19937_64 random(2);
  int one = 0, two = 0;
  for (int i = 0; i < 200; ++i) {
    const Times first = Make(6, {0.3}, random), second = Make(9, {0.4, 0.25}, random);
    one += WarmUpPairs(first.base, first.head) == 1 ? 1 : 0;
    two += WarmUpPairs(second.base, second.head) == 2 ? 1 : 0;
  }
  CHECK(one >= 190);
  CHECK(two >= 190);
}

TEST_CASE("a third is dropped at most, and three stay") {
  std::mt19937_64 random(3);
  const Times all = Make(6, {0.9, 0.7, 0.5, 0.3}, random, 0.001);
  CHECK(WarmUpPairs(all.base, all.head) <= 2);
  const Times few = Make(3, {0.9}, random, 0.001);
  CHECK(WarmUpPairs(few.base, few.head) == 0);
  CHECK(WarmUpPairs({}, {}) == 0);
  CHECK(WarmUpPairs(std::vector<double>{0, 1, 1, 1}, std::vector<double>{1, 1, 1, 1}) == 0);
}

}  // namespace gprofx::compare
