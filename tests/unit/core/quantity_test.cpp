// Numbers with units as users write them, and numbers as text.
#include "core/base/quantity.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/base/format.h"

using namespace gprofx;

TEST_CASE("a quantity is a number and one of the units") {
  static constexpr UnitFactor kUnits[] = {{"", 1e9}, {"ms", 1e6}, {"m", 60e9}};
  CHECK(ParseQuantity("12", kUnits) == 12e9);
  CHECK(ParseQuantity("1.5ms", kUnits) == 1.5e6);
  CHECK(ParseQuantity(".5m", kUnits) == 30e9);
  CHECK(ParseQuantity("0", kUnits) == 0.0);
  const std::string too_large(400, '9');
  for (const std::string& bad :
       {std::string(), std::string("ms"), std::string("-1"), std::string("+1"), std::string("1e3"),
        std::string("0x10"), std::string("5 m"), std::string(" 5"), std::string("1s"),
        std::string("inf"), std::string("nan"), std::string("-0"), too_large}) {
    CHECK_FALSE(ParseQuantity(bad, kUnits));
  }
  static constexpr UnitFactor kNeeded[] = {{"%", 0.01}};
  CHECK_FALSE(ParseQuantity("30", kNeeded));
}

TEST_CASE("texts of numbers") {
  CHECK(Format("%d %s %.1f", 3, "runs", 0.25) == "3 runs 0.2");
  CHECK(Format("%s", std::string(1000, 'x').c_str()).size() == 511);
  CHECK(SecondsText(1'500'000'000, 1) == "1.5 s");
  CHECK(SecondsText(-1, 3) == "-0.000 s");
  CHECK(HexText(0xabc, 16) == "0000000000000abc");
  CHECK(HexText(~uint64_t{0}, 4) == "ffffffffffffffff");
}
