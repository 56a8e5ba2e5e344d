#include "cli/record/sweep.h"

#include <catch2/catch.hpp>

#include "cli/record.h"
#include "cli/record/leveled.h"
#include "cli/record/output_name.h"

using namespace gprofx;
using namespace gprofx::record;

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
  CHECK(FileOfRun("run.gprofx", "BS=4") == "run-BS=4.gprofx");
  CHECK(FileOfRun("a/run", "BS=4") == "a/run-BS=4.gprofx");
  CHECK(FileOfRun("run.gprofx", "M=../x/y") == "run-M=.._x_y.gprofx");
  CHECK(FileOfRun(".gprofx", "M=1") == ".gprofx-M=1.gprofx");
  CHECK(*ExpandName(AsOutputName("100%-%p"), {}) == "100%-%p");
}

TEST_CASE("each run of a sweep gets the options, but for the output") {
  const auto record = ParseRecord({"--sweep", "BS=1 2", "-o", "x", "-F", "500", "--force", "--gpu",
                                   "trace", "--", "job", "-o", "y"});
  REQUIRE(record);
  REQUIRE(record->runs.size() == 2);
  CHECK(record->of_each == Words{"--force", "--frequency", "500", "--gpu", "trace"});
  CHECK(record->options.command == Words{"job", "-o", "y"});
  CHECK_FALSE(ParseRecord({"--sweep", "BS=1", "--label", "x", "--", "job"}));
  CHECK_FALSE(ParseRecord({"--sweep", "BS", "--", "job"}));
  CHECK(ParseRecord({"--label", "x", "--", "job"})->options.label == "x");
}

TEST_CASE("leveled runs go forth and back, with more switched on in each set") {
  REQUIRE(ParseLevels("M,ML"));
  for (const char* wrong : {"", "M,", ",M", "M,M", "X", "m", "M ML"}) {
    INFO(wrong);
    CHECK_FALSE(ParseLevels(wrong));
  }
  const std::vector<SeriesRun> runs = RunsOf(*ParseLevels("M,MLK"), 3, "a.gprofx");
  Words labels;
  for (const SeriesRun& run : runs) labels.push_back(run.label);
  CHECK(labels == Words{"M.1", "MLK.1", "MLK.2", "M.2", "M.3", "MLK.3"});
  CHECK(runs[1].file == "a-MLK.1.gprofx");
  CHECK(runs[1].options == Words{"--gpu", "trace", "--overhead", "none"});
  CHECK(runs[1].setting.empty());
}

TEST_CASE("leveled runs decide themselves what is switched on") {
  const auto record =
      ParseRecord({"--levels", "M,ML", "--repeat", "2", "--python", "off", "--", "job"});
  REQUIRE(record);
  CHECK(record->runs.size() == 4);
  CHECK(record->of_each == Words{"--python", "off"});
  CHECK(ParseRecord({"--levels", "M,ML", "--", "job"})->runs.size() == 10);
  for (const char* other : {"--gpu", "--overhead", "--frequency", "--label"}) {
    INFO(other);
    CHECK_FALSE(ParseRecord({"--levels", "M", other, "1", "--", "job"}));
  }
  CHECK_FALSE(ParseRecord({"--levels", "M", "--sweep", "N=1", "--", "job"}));
  CHECK_FALSE(ParseRecord({"--repeat", "2", "--", "job"}));
  CHECK_FALSE(ParseRecord({"--levels", "M", "--repeat", "0", "--", "job"}));
}
