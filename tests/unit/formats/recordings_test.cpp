#include <catch2/catch.hpp>

#include "core/model/merge.h"
#include "core/model/sources.h"
#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

Profile Rank(uint64_t seed, const char* rank) {
  Profile profile = test::RandomProfile(seed, 60);
  profile.meta["host"] = "node" + std::string(rank);
  profile.meta["rank"] = rank;
  profile.meta["start_realtime_ns"] = "17000000000000000" + std::string(rank) + "0";
  return profile;
}

Profile Merged() {
  Profile merged = Rank(1, "0");
  REQUIRE(Merge(merged, Rank(2, "1")).ok());
  return merged;
}

TEST_CASE("a merged profile keeps its recordings in the file") {
  test::TempFolder folder;
  const Profile merged = Merged();
  REQUIRE(merged.sources.size() == 2);
  const std::string path = test::WriteFinished(folder, merged, 0);
  const Result<Profile> read = LoadProfile(path);
  REQUIRE(read.ok());
  CHECK(read->sources == merged.sources);
  REQUIRE(read->processes.size() == merged.processes.size());
  for (size_t i = 0; i < read->processes.size(); ++i) {
    CHECK(read->processes[i].source == merged.processes[i].source);
  }
  for (uint32_t metric = 1; metric <= merged.metrics.size(); ++metric) {
    CHECK(SumsBySource(*read, MetricId{metric}) == SumsBySource(merged, MetricId{metric}));
  }
}

TEST_CASE("recordings that make no sense are refused") {
  for (const char* sql :
       {"UPDATE process_recording SET recording=3", "UPDATE process_recording SET recording=0",
        "INSERT INTO process_recording VALUES(1000,1)", "UPDATE recording SET id=id+10",
        "UPDATE recording SET rank=-2", "UPDATE recording_fact SET recording=9",
        "UPDATE recording_counter SET recording=-1",
        "UPDATE recording SET host=hex(zeroblob(35000000))",
        "UPDATE recording_fact SET value=hex(zeroblob(35000000)) WHERE id=1"}) {
    INFO(sql);
    test::TempFolder folder;
    const std::string path = test::WriteFinished(folder, Merged(), 0);
    test::Forge(path, sql);
    CHECK_FALSE(LoadProfile(path).ok());
  }
}

}  // namespace
}  // namespace gprofx
