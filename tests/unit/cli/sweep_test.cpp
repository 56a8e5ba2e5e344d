#include "cli/record/sweep.h"

#include <catch2/catch.hpp>

#include "cli/record.h"
#include "cli/record/output_name.h"

using namespace gprofx;

using Words = std::vector<std::string>;

TEST_CASE("a sweep is a variable and its values") {
  const Result<Sweep> sweep = ParseSweep("BS=1 2  4 2");
  REQUIRE(sweep);
  CHECK(sweep->variable == "BS");
  CHECK(sweep->values == Words{"1", "2", "4"});
  CHECK(ParseSweep("_x1=a=b")->values == Words{"a=b"});
  for (const char* wrong : {"", "BS", "BS=", "BS= ", "=1", "1B=2", "B S=1", "B-S=1", "M=a/b a_b"}) {
    INFO(wrong);
    CHECK_FALSE(ParseSweep(wrong));
  }
}

TEST_CASE("each run of a sweep has a file beside the output") {
  CHECK(SweepOutput("run.gprofx", "BS=4") == "run-BS=4.gprofx");
  CHECK(SweepOutput("a/run", "BS=4") == "a/run-BS=4.gprofx");
  CHECK(SweepOutput("run.gprofx", "M=../x/y") == "run-M=.._x_y.gprofx");
  CHECK(SweepOutput(".gprofx", "M=1") == ".gprofx-M=1.gprofx");
  CHECK(*ExpandName(AsOutputName("100%-%p"), {}) == "100%-%p");
}

TEST_CASE("each run of a sweep gets the options, but for the output") {
  const auto record = ParseRecord({"--sweep", "BS=1 2", "-o", "x", "-F", "500", "--force", "--gpu", "trace", "--", "job", "-o", "y"});
  REQUIRE(record);
  REQUIRE(record->sweep);
  CHECK(record->of_each == Words{"--force", "--frequency", "500", "--gpu", "trace"});
  CHECK(record->options.command == Words{"job", "-o", "y"});
  CHECK_FALSE(ParseRecord({"--sweep", "BS=1", "--label", "x", "--", "job"}));
  CHECK_FALSE(ParseRecord({"--sweep", "BS", "--", "job"}));
  CHECK(ParseRecord({"--label", "x", "--", "job"})->options.label == "x");
}
