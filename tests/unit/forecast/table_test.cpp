// The table that training writes: what is built in, what is written and read again, broken ones.
#include "core/forecast/device/table.h"

#include <catch2/catch.hpp>

#include "core/forecast/data.h"

namespace gprofx::testing {
using namespace gprofx::forecast;

TEST_CASE("what training wrote is whole and small") {
  const ForecastTable& table = BuiltInTable();
  CHECK(kTrainedTable.size() < 1'000'000);
  for (size_t i = 0; i < kWorkFamilies; ++i) {
    const WorkFamily family = static_cast<WorkFamily>(i);
    INFO(WorkFamilyWord(family));
    CHECK(table.intervals.count(WorkFamilyWord(family)) == 1);
    CHECK(table.ranges[i].most > 0);
    if (family != WorkFamily::kTensorProduct) CHECK_FALSE(table.parameters[i].empty());
  }
  for (const char* name : {"graph", "collective", "transfer"}) {
    CHECK(table.intervals.count(name) == 1);
  }
  CHECK(table.grids.size() == 5);
  CHECK_FALSE(table.collectives.empty());
  CHECK_FALSE(table.accuracy.empty());
}

TEST_CASE("a table is the same after it was written and read") {
  const std::string text = ForecastTableText(BuiltInTable());
  const Result<ForecastTable> again = ParseForecastTable(text, "t");
  REQUIRE(again);
  CHECK(ForecastTableText(*again) == text);
}

TEST_CASE("broken tables are refused with their line") {
  const std::string head = "gprof-x-forecast 2\n";
  for (const char* line : {"parameters linear x\n", "parameters nothing 1\n", "interval linear 1\n",
                           "axis m 3 2 1\n", "grid H100-SXM bf16\n", "collective A b 2 8\n", "x\n",
                           "axis m 1\naxis n 1\naxis k 1\ngrid H100-SXM bf16\nO\naxis k 1 2\n",
                           "axis m 1\naxis n 1\naxis k 1\ngrid H100-SXM bf16\n~!\n"}) {
    const Result<ForecastTable> table = ParseForecastTable(head + line, "t");
    INFO(line);
    REQUIRE_FALSE(table);
    CHECK(table.error().what.find("t:") == 0);
  }
  CHECK_FALSE(ParseForecastTable("", "t"));
  CHECK_FALSE(ParseForecastTable("something else\n", "t"));
}

}  // namespace gprofx::testing
