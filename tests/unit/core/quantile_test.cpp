// Quantiles by linear interpolation, as NumPy's and pandas' default.
#include "core/base/quantile.h"

#include <catch2/catch.hpp>
#include <limits>

#include "core/base/student.h"

using namespace gprofx;

TEST_CASE("quantiles lie between the neighbouring values") {
  const std::vector<double> values = {40, 10, 30, 20};
  CHECK(Quantile(values, 0) == 10);
  CHECK(Quantile(values, 0.25) == 17.5);
  CHECK(Quantile(values, 0.5) == 25);
  CHECK(Quantile(values, 0.95) == Approx(38.5));
  CHECK(Quantile(values, 1) == 40);
  CHECK(Median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(Median(std::vector<double>()) == 0);
}

TEST_CASE("quantiles of integers are rounded to the nearest one") {
  CHECK(Median(std::vector<int64_t>{10, 20}) == 15);
  CHECK(Median(std::vector<int64_t>{-3, 0}) == -1);  // half is rounded up
  CHECK(Quantile(std::vector<int64_t>{0, 10}, 0.26) == 3);
  CHECK(Quantile(std::vector<int64_t>{7}, 0.95) == 7);
}

TEST_CASE("quantiles of the largest integers neither overflow nor lose digits") {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  CHECK(Median(std::vector<int64_t>{kLeast, kMost}) == 0);
  CHECK(Median(std::vector<int64_t>{kMost - 3, kMost - 1}) == kMost - 2);
  CHECK(Quantile(std::vector<int64_t>{kLeast, kMost}, 0.999999999) > 0);
}

TEST_CASE("Student's t is that of the tables") {
  CHECK(StudentQuantile(1, 0.975) == Approx(12.7062).margin(1e-4));
  CHECK(StudentQuantile(3, 0.975) == Approx(3.1824).margin(1e-4));
  CHECK(StudentQuantile(10, 0.975) == Approx(2.2281).margin(1e-4));
  CHECK(StudentQuantile(1e9, 0.975) == Approx(1.95996).margin(1e-5));
}
