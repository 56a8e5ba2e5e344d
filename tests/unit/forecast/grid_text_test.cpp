// Rows of a grid as text: any steps come back, near zero one character each.
#include "core/forecast/device/grid_text.h"

#include <catch2/catch.hpp>
#include <random>

namespace gprofx::testing {
using namespace gprofx::forecast;

using Steps = std::vector<uint16_t>;

std::vector<std::string> Lines(const Steps& steps, size_t width) {
  std::vector<std::string> lines;
  for (size_t row = 0; row < steps.size(); row += width) {
    lines.push_back(GridRowText(steps, row, width));
  }
  return lines;
}

Steps Read(const std::vector<std::string>& lines, size_t width) {
  Steps steps;
  for (const std::string& line : lines) {
    INFO(line);
    REQUIRE(ReadGridRow(line, width, steps));
  }
  return steps;
}

TEST_CASE("rows of a grid come back as they were") {
  std::mt19937 random(1);
  for (const size_t width : {1u, 2u, 22u}) {
    Steps steps(width * 40);
    for (uint16_t& step : steps) step = static_cast<uint16_t>(random() % (kMaxSteps + 1));
    CHECK(Read(Lines(steps, width), width) == steps);
  }
  const Steps ends = {0, kMaxSteps, kMaxSteps, 0, kMaxSteps, 46, 47, 0};
  CHECK(Read(Lines(ends, 2), 2) == ends);
}

TEST_CASE("a plane costs one character a time") {
  Steps plane;
  for (uint16_t y = 0; y < 5; ++y) {
    for (uint16_t x = 0; x < 4; ++x) plane.push_back(static_cast<uint16_t>(20 * x + 30 * y));
  }
  for (const std::string& line : Lines(plane, 4)) CHECK(line.size() == 4);
}

TEST_CASE("lines that are no row are refused") {
  Steps steps;
  for (const char* line : {"", "OO", "OOOO", "OO~", "OO~!", "O O", "OO\x7f"}) {
    INFO(line);
    CHECK_FALSE(ReadGridRow(line, 3, steps));
    steps.clear();
  }
}

}  // namespace gprofx::testing
