#include "samplers/nvtx/frequency.h"

#include <catch2/catch.hpp>

using gprofx::nvtx::Frequency;

namespace {

// Whether there are too many after so many ranges, one each `ns`.
bool After(Frequency& frequency, int64_t& now, int ranges, int64_t ns) {
  bool many = false;
  for (int i = 0; i < ranges; ++i) {
    now += ns;
    many = frequency.Count([&] { return now; });
  }
  return many;
}

}  // namespace

TEST_CASE("steps and their phases are few, the operations of a graph are many") {
  Frequency frequency{};
  int64_t now = 5'000'000'000;
  CHECK_FALSE(After(frequency, now, 10'000, 1'000'000));
  CHECK(After(frequency, now, 1'000, 5'000));
  CHECK(After(frequency, now, 1'000, 250'000));  // 4,000 a second: it does not waver
  CHECK_FALSE(After(frequency, now, 1'000, 1'000'000));
}

TEST_CASE("the clock is asked at few ranges only, and may stand still") {
  Frequency frequency{};
  int asked = 0;
  for (int i = 0; i < 2560; ++i) {
    frequency.Count([&] { return ++asked, int64_t{7}; });
  }
  CHECK(asked == 10);
}
